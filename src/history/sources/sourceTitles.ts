import { t } from '../../base/translate';
import type { SourceName } from './foreign';

/** Name of an agent or format as the user knows it. */
export function sourceTitle(source: SourceName): string {
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
    case 'openai':
      return t('Chat file');
    case 'shareGpt':
      return t('ShareGPT file');
  }
}
