import * as v from 'valibot';

/** Settings that decide where prompts, keys or sessions go, or when sessions are erased. A repository that could set them could read or
 *  destroy them. */
export const guardedSettings = [
  'hermes.model',
  'hermes.mode',
  'hermes.approvals.allow',
  'hermes.approvals.deny',
  'hermes.providers',
  'hermes.compression.model',
  'hermes.memory.provider',
  'hermes.memory.recallTimeout',
  'hermes.memory.hindsight.url',
  'hermes.memory.hindsight.bank',
  'hermes.storage.path',
  'hermes.terminal.timeout',
  'hermes.terminal.sandbox',
  'hermes.trash.days',
  'hermes.mcp.servers',
  'hermes.editorTools',
] as const;
export type GuardedSetting = (typeof guardedSettings)[number];

export interface WorkspaceOverride {
  readonly setting: GuardedSetting;
  /** The file that sets it, as a person finds it: ".vscode/settings.json". */
  readonly file: string;
}

const jsonText = v.pipe(v.string(), v.parseJson(), v.string());

/** Which guarded settings a workspace's settings text names. The editor drops them without a word; a person whose setting does nothing
 *  should be told. Settings files are JSON with comments, so keys are looked for in text from which comments are taken out. */
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
