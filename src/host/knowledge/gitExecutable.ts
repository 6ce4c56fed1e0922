import * as v from 'valibot';
import * as vscode from 'vscode';

const gitExtension = v.object({
  enabled: v.boolean(),
  getAPI: v.custom<(version: 1) => unknown>((value) => typeof value === 'function'),
});
const gitApi = v.object({ git: v.object({ path: v.pipe(v.string(), v.nonEmpty()) }) });

/** Path of the Git that VS Code's own Git extension found (this respects `git.path`). Default, when the extension is
 *  disabled or found none: "git". */
export function gitExecutable(): string {
  const extension = v.safeParse(gitExtension, vscode.extensions.getExtension('vscode.git')?.exports);
  if (!extension.success || !extension.output.enabled) return 'git';
  try {
    const api = v.safeParse(gitApi, extension.output.getAPI(1));
    return api.success ? api.output.git.path : 'git';
  } catch {
    // The Git extension is being disabled.
    return 'git';
  }
}
