import { win32 } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Full path of a program that belongs to Windows. Without a folder, Windows looks in the folder a program runs in
 *  first, which may be a repository's. */
export function windowsProgram(name: string, environment: Environment = process.env): string {
  return win32.join(variable(environment, 'SystemRoot') ?? 'C:\\Windows', 'System32', name);
}

/** Finds the file that a command means, as a command prompt does ("npx" is npx.cmd), but never in the folder it runs
 *  in. Returns null when there is none. A command with a folder is returned as it is. */
export function programOnPath(
  command: string,
  environment: Environment,
  isFile: (path: string) => boolean,
): string | null {
  if (/[\\/:]/.test(command)) return command;
  const extensions = (variable(environment, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD')
    .split(';')
    .filter((each) => each !== '');
  const isWhole = extensions.some((extension) => command.toLowerCase().endsWith(extension.toLowerCase()));
  const names = [
    ...(isWhole ? [command] : []),
    ...extensions.map((extension) => `${command}${extension.toLowerCase()}`),
  ];
  for (const entry of (variable(environment, 'PATH') ?? '').split(';')) {
    const folder = entry.replace(/^"(.*)"$/, '$1');
    if (!win32.isAbsolute(folder)) continue;
    const found = names.map((name) => win32.join(folder, name)).find(isFile);
    if (found !== undefined) return found;
  }
  return null;
}

/** Windows treats PATH and Path as the same name. */
function variable(environment: Environment, name: string): string | undefined {
  const spelled = Object.keys(environment).find((key) => key.toLowerCase() === name.toLowerCase());
  return spelled === undefined ? undefined : environment[spelled];
}
