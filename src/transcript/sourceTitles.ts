import { t } from '../base/translate';

/** Agents and formats that can be read. */
export const sourceNames = [
  'claudeCode',
  'codex',
  'hermes',
  'opencode',
  'pi',
  'openai',
  'shareGpt',
  'cline',
  'vscodeChat',
  'gemini',
  'qwen',
  'chatGpt',
  'claudeAi',
] as const;
export type SourceName = (typeof sourceNames)[number];

/** Name of an agent or format as the user knows it. Takes any text, because a store may name a source of a later
 *  version. */
export function sourceTitle(source: string): string {
  const known = sourceNames.find((name) => name === source);
  return known === undefined ? t('another program') : titleOf(known);
}

/** Said of a file that holds nothing that can be read. */
export function noSession(): string {
  const formats = sourceNames.map(titleOf).join(', ');
  return t('It holds no session in a format that can be read: {formats}.', { formats });
}

function titleOf(source: SourceName): string {
  return {
    claudeCode: 'Claude Code',
    codex: 'Codex',
    hermes: 'Hermes Agent',
    opencode: 'opencode',
    pi: 'pi',
    cline: 'Cline, Roo Code, Kilo Code',
    vscodeChat: 'VS Code Chat',
    gemini: 'Gemini CLI',
    qwen: 'Qwen Code',
    chatGpt: 'ChatGPT',
    claudeAi: 'claude.ai',
    openai: t('Chat file'),
    shareGpt: t('ShareGPT file'),
  }[source];
}
