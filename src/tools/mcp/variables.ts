import { t } from '../../base/translate';
/** Values of a definition's variables. */
export interface VariableValues {
  /** Folder of the file; for the settings, the first open folder. Null when none is open. */
  readonly workspaceFolder: string | null;
  /** Open folders by their names, for `${workspaceFolder:name}`. */
  readonly folders: ReadonlyMap<string, string>;
  readonly userHome: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly inputs: ReadonlyMap<string, string>;
  readonly separator: string;
}

/** Fills in `${…}` as VS Code does. An environment variable that is not set becomes empty. Throws a sentence for an
 *  unknown variable. */
export function fillIn(text: string, values: VariableValues): string {
  return text.replace(/\$\{([^}]*)\}/g, (_whole, variable: string) => valueOf(variable, values));
}

function valueOf(variable: string, values: VariableValues): string {
  const colon = variable.indexOf(':');
  const [name, argument] = colon === -1 ? [variable, null] : [variable.slice(0, colon), variable.slice(colon + 1)];
  const known = variableValue(name, argument, values);
  if (known !== null) return known;
  if (name.startsWith('workspaceFolder'))
    throw new Error(t('{variable} stands for nothing: there is no such open folder.', { variable: `\${${variable}}` }));
  throw new Error(
    t(
      'The variable {variable} is not known. There are workspaceFolder, workspaceFolderBasename, userHome, pathSeparator, env:NAME and input:ID.',
      { variable: `\${${variable}}` },
    ),
  );
}

function variableValue(
  name: string,
  argument: string | null,
  { workspaceFolder, folders, userHome, environment, inputs, separator }: VariableValues,
): string | null {
  const folder = argument === null ? workspaceFolder : (folders.get(argument) ?? null);
  if (name === 'workspaceFolder') return folder;
  if (name === 'workspaceFolderBasename') return folder?.split(/[\\/]/).findLast((part) => part !== '') ?? null;
  if (name === 'env' && argument !== null) return environment[argument] ?? '';
  if (name === 'input' && argument !== null) return inputs.get(argument) ?? null;
  if (argument !== null) return null;
  if (name === 'userHome') return userHome;
  return name === 'pathSeparator' || name === '/' ? separator : null;
}
