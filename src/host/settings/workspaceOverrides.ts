import * as v from 'valibot';

/** Settings that count only in user settings: where prompts, keys or sessions go, when sessions are erased, and what
 *  may run and how. A repository that could set them could read or destroy sessions, or widen what may run. */
export const guardedSettings = [
  'hermes.model',
  'hermes.mode',
  'hermes.approvals.allow',
  'hermes.approvals.deny',
  'hermes.approvals.withoutSandbox',
  'hermes.providers',
  'hermes.compression.model',
  'hermes.memory.provider',
  'hermes.memory.hindsight.url',
  'hermes.memory.hindsight.bank',
  'hermes.storage.path',
  'hermes.terminal.timeout',
  'hermes.terminal.sandbox',
  'hermes.spendingLimit',
  'hermes.trash.days',
  'hermes.backups.enabled',
  'hermes.backups.folder',
  'hermes.mcp.servers',
  'hermes.personalFiles',
] as const;
type GuardedSetting = (typeof guardedSettings)[number];

export interface WorkspaceOverride {
  readonly setting: GuardedSetting;
  /** File that sets it, as the user finds it: ".vscode/settings.json". */
  readonly file: string;
}

const jsonText = v.pipe(v.string(), v.parseJson(), v.string());

/** Guarded settings that a workspace's settings text names. The editor drops them silently, so the user must be
 *  notified that they have no effect. Settings files are JSON with comments, so this removes comments before it
 *  searches for keys. */
export function workspaceOverrides(file: string, text: string): readonly WorkspaceOverride[] {
  const plain = text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (token) =>
    token.startsWith('"') ? token : ' ',
  );
  const keys = new Set(
    [...plain.matchAll(/"((?:[^"\\\n]|\\.)*)"\s*:/g)]
      .map((match) => v.safeParse(jsonText, `"${match[1] ?? ''}"`))
      .flatMap((key) => (key.success ? [key.output] : [])),
  );
  return guardedSettings.filter((setting) => keys.has(setting)).map((setting) => ({ setting, file }));
}
