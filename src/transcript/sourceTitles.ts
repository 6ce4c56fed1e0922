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
  switch (source) {
    case 'claudeCode':
      return 'Claude Code';
    case 'codex':
      return 'Codex';
    case 'hermes':
      return 'Hermes Agent';
    case 'opencode':
      return 'opencode';
    case 'pi':
      return 'pi';
    case 'cline':
      return 'Cline, Roo Code, Kilo Code';
    case 'vscodeChat':
      return 'VS Code Chat';
    case 'gemini':
      return 'Gemini CLI';
    case 'qwen':
      return 'Qwen Code';
    case 'chatGpt':
      return 'ChatGPT';
    case 'claudeAi':
      return 'claude.ai';
    case 'openai':
      return t('Chat file');
    case 'shareGpt':
      return t('ShareGPT file');
  }
}
