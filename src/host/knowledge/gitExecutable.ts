import * as v from 'valibot';
import * as vscode from 'vscode';

const gitExtension = v.object({
  enabled: v.boolean(),
  getAPI: v.custom<(version: 1) => unknown>((value) => typeof value === 'function'),
});
const gitApi = v.object({ git: v.object({ path: v.pipe(v.string(), v.nonEmpty()) }) });

/** The git that VS Code's own Git extension found (`git.path` included); "git" where the extension is off or has found none. */
export function gitExecutable(): string {
  const extension = v.safeParse(gitExtension, vscode.extensions.getExtension('vscode.git')?.exports);
  if (!extension.success || !extension.output.enabled) return 'git';
  try {
    const api = v.safeParse(gitApi, extension.output.getAPI(1));
    return api.success ? api.output.git.path : 'git';
  } catch {
    // It is being switched off.
    return 'git';
  }
}
