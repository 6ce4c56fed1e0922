import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import * as vscode from 'vscode';

const apiSchema = v.object({ environments: v.object({ getActiveEnvironmentPath: v.function() }) });
const pathSchema = v.object({ path: v.string() });

/** The virtual environment that the Python extension has activated for the workspace. Null: none. Uses that
 *  extension's API, because the variables that extensions give the editor's own terminals cannot be read. */
export function activePythonEnvironment(): { readonly folder: string; readonly programs: string } | null {
  const extension = vscode.extensions.getExtension('ms-python.python');
  if (extension?.isActive !== true) return null;
  const api = v.safeParse(apiSchema, extension.exports);
  if (!api.success) return null;
  const { environments } = api.output;
  const active = v.safeParse(
    pathSchema,
    environments.getActiveEnvironmentPath.call(environments, vscode.workspace.workspaceFolders?.[0]?.uri),
  );
  return active.success ? environmentOf(active.output.path) : null;
}

/** `path`: the folder of an environment, or the interpreter in it. */
export function environmentOf(path: string): { readonly folder: string; readonly programs: string } | null {
  const folder = [path, dirname(dirname(path))].find((candidate) => existsSync(join(candidate, 'pyvenv.cfg')));
  if (folder === undefined) return null;
  const programs = [join(folder, 'bin'), join(folder, 'Scripts')].find(existsSync);
  return programs === undefined ? null : { folder, programs };
}
