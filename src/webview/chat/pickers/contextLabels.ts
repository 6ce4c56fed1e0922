import type { ContextUseView } from '../../../protocol/chatProtocol';
import type { ContextFile, FileOrigin, LeftFile } from '../../../protocol/transcriptTypes';
import { t } from '../../localization';
import { compactCount } from '../../times';

export const contextPanelId = 'context-panel';

/** Says how much of the model's context a session uses. */
export function totalText({ tokens, window }: ContextUseView): string {
  if (window === null) return t('{used} tokens (context size unknown)', { used: compactCount(tokens) });
  return t('{used} of {window} tokens', { used: compactCount(tokens), window: compactCount(window) });
}

/** Names a file of rules by its path, and the list of skills of one origin by their number. */
export function fileName(file: ContextFile): string {
  if (file.kind === 'rules') return file.path;
  return file.count === 1 ? t('1 skill') : t('{count} skills', { count: file.count });
}

export function originWords(origin: FileOrigin): string {
  switch (origin) {
    case 'folder':
      return t('This folder');
    case 'hermes':
      return t('Yours');
    case 'claude':
      return t('Claude Code');
    case 'codex':
      return t('Codex');
    default:
      return origin satisfies never;
  }
}

/** Says that a file was not read, and why. */
export function leftWords({ path, reason }: LeftFile): string {
  switch (reason) {
    case 'size':
      return t('{path} wasn’t read: it is larger than 512 KB.', { path });
    case 'link':
      return t('{path} wasn’t read: it links to a place outside your home folder.', { path });
    case 'outside':
      return t('{path} wasn’t read: it links to a place outside the open folders.', { path });
    case 'secrets':
      return t('{path} wasn’t read: it links to a file that may contain secrets.', { path });
    case 'text':
      return t('{path} wasn’t read: it isn’t text.', { path });
    case 'unreadable':
      return t('{path} wasn’t read: it can’t be opened. Check its permissions.', { path });
    default:
      return reason satisfies never;
  }
}
