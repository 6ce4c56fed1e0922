import type { Attached, MentionKind } from '../../../protocol/attachmentProtocol';
import type { DraftPart } from '../../../transcript/draftPart';
import { pageLanguage, t } from '../../localization';

/** Maximum number of parts per prompt (attachmentProtocol.ts applies the same limit to the host). */
const mostParts = 50;
const mostImages = 10;

/** Shared empty list, so that comparing by identity detects changes. */
export const noParts: readonly DraftPart[] = [];

/** Adds new parts. An existing mention is not added twice. Parts beyond the limits are left out and reported. */
export function withParts(current: readonly DraftPart[], added: readonly DraftPart[]): Attached {
  const parts = [...current];
  const problems = new Set<string>();
  for (const part of added) {
    if (parts.some((known) => isSamePart(known, part))) continue;
    if (parts.length >= mostParts)
      problems.add(t('You can attach at most {count} items to one prompt.', { count: mostParts }));
    else if (part.kind === 'image' && parts.filter(({ kind }) => kind === 'image').length >= mostImages)
      problems.add(t('You can attach at most {count} images to one prompt.', { count: mostImages }));
    else parts.push(part);
  }
  return { parts: parts.length === current.length ? current : parts, problems: [...problems] };
}

export function isSamePart(one: DraftPart, other: DraftPart): boolean {
  if (one === other) return true;
  if (one.kind === 'image')
    return other.kind === 'image' && one.dataBase64 === other.dataBase64 && one.name === other.name;
  if (one.kind === 'attachment')
    return (
      other.kind === 'attachment' && one.source === other.source && one.label === other.label && one.text === other.text
    );
  return other.kind === 'mention' && one.source === other.source;
}

/** Returns the parts that the host put before the parts it received; empty when those are not at the end of the
 *  host's list. */
export function partsAhead(stored: readonly DraftPart[], saved: readonly DraftPart[]): readonly DraftPart[] {
  const count = stored.length - saved.length;
  if (count <= 0) return [];
  return saved.every((part, index) => isSamePart(part, stored[count + index] ?? part)) ? stored.slice(0, count) : [];
}

/** Returns the parts attached while `sent` was being stored. */
export function partsLeft(current: readonly DraftPart[], sent: readonly DraftPart[]): readonly DraftPart[] {
  const left = current.filter((part) => !sent.includes(part));
  return left.length === current.length ? current : left;
}

export function partLabel(part: DraftPart): string {
  return part.kind === 'image' ? (part.name ?? t('Image')) : part.label;
}

/** Codicon and name of each kind of mention. */
export const mentionKinds: Readonly<Record<MentionKind, { readonly icon: string; readonly name: () => string }>> = {
  file: { icon: 'file', name: () => t('file') },
  folder: { icon: 'folder', name: () => t('folder') },
  symbol: { icon: 'symbol-method', name: () => t('symbol') },
  problems: { icon: 'warning', name: () => t('problems') },
  selection: { icon: 'list-selection', name: () => t('selection') },
  terminal: { icon: 'terminal', name: () => t('terminal') },
  git: { icon: 'git-commit', name: () => t('Git') },
  session: { icon: 'comment-discussion', name: () => t('session') },
  resource: { icon: 'mcp', name: () => t('MCP resource') },
};

/** Returns the name of the part's codicon. */
export function partIcon(part: DraftPart): string {
  if (part.kind === 'image') return 'file-media';
  const kind = part.source.split(':', 1)[0] ?? '';
  if (kind === 'prompt') return mentionKinds.resource.icon;
  return isMentionKind(kind) ? mentionKinds[kind].icon : 'attach';
}

function isMentionKind(kind: string): kind is MentionKind {
  return Object.hasOwn(mentionKinds, kind);
}

/** Returns the size in words: characters of a text, bytes of an image. A mention is read only when the prompt is
 *  sent. */
export function sizeText(part: DraftPart): string {
  if (part.kind === 'mention') return t('read when the prompt is sent');
  if (part.kind === 'attachment')
    return t('{count} characters', { count: part.text.length.toLocaleString(pageLanguage) });
  return bytesText(Math.floor((part.dataBase64.length * 3) / 4));
}

export function bytesText(bytes: number): string {
  return bytes < 1_000_000
    ? t('{count} KB', { count: Math.max(1, Math.round(bytes / 1000)) })
    : t('{count} MB', {
        count: (bytes / 1_000_000).toLocaleString(pageLanguage, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
      });
}

/** Returns a data URL of the image, which the page's content security policy allows. */
export function imageAddress(part: DraftPart & { readonly kind: 'image' }): string {
  return `data:${part.mediaType};base64,${part.dataBase64}`;
}

/** Returns the link to the place in a file that a mention names, in the form of links in answers; null when the
 *  source is not a file. */
export function fileLink(source: string): string | null {
  const match = /^(?:file:(?<file>.+?)|symbol:(?<symbol>.+?:\d+(?:-\d+)?)#.*)$/s.exec(source);
  const place = match?.groups?.['file'] ?? match?.groups?.['symbol'];
  if (place === undefined) return null;
  const [, path = place, line = ''] = /^(.+?)(:\d+)(?:-\d+)?$/s.exec(place) ?? [];
  return path.split('/').map(encodeURIComponent).join('/') + line;
}
