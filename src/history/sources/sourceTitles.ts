import { t } from '../../base/translate';
import { sourceNames, type SourceName } from './foreign';

/** Name of an agent or format as the user knows it. Takes any text, because a store may name a source of a later
 *  version. */
export function sourceTitle(source: string): string {
  const known = sourceNames.find((name) => name === source);
  return known === undefined ? t('another program') : titleOf(known);
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
    case 'openai':
      return t('Chat file');
    case 'shareGpt':
      return t('ShareGPT file');
  }
}
