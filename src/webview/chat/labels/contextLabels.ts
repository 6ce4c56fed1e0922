import type { SessionContextUse } from '../../../protocol/chatProtocol';
import { t } from '../../localization';
import { compactCount } from '../../times';

export const contextPanelId = 'context-panel';

/** Says how much of the model's context a session uses. */
export function totalWords({ tokens, window }: SessionContextUse): string {
  if (window === null) return t('{used} tokens (context size unknown)', { used: compactCount(tokens) });
  return t('{used} of {window} tokens', { used: compactCount(tokens), window: compactCount(window) });
}
