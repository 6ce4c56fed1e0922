import { t } from '../../base/translate';
import type { SourceName } from '../../history/sources/foreign';

const names: Readonly<Record<string, string>> = {
  claudeCode: 'Claude Code',
  codex: 'Codex',
  hermes: 'Hermes Agent',
  openai: 'OpenAI JSON',
  shareGpt: 'ShareGPT JSON',
  cline: 'Cline',
  opencode: 'opencode',
  pi: 'pi',
  vscodeChat: 'VS Code Chat',
} satisfies Readonly<Record<SourceName | 'opencode' | 'pi' | 'vscodeChat', string>>;

/** Name of an agent or format for the user. Accepts any text, because a store may name a source of a later version. */
export function nameOfSource(source: string): string {
  return names[source] ?? t('another program');
}
