import type { MentionKind } from '../../../protocol/attachmentProtocol';
import type { DraftPart } from '../../../protocol/transcriptTypes';
import { t } from '../../localization';

/** The most that goes along with one prompt (attachmentProtocol.ts holds the host to the same). */
const mostParts = 50;
const mostImages = 10;

/** Identity of "nothing goes along", so that comparing by identity says whether something changed. */
export const noParts: readonly DraftPart[] = [];

export interface Added {
  readonly parts: readonly DraftPart[];
  /** What was left out and why, for the person; empty where everything was taken. */
  readonly problems: readonly string[];
}

/** Adds what is new. A mention that is there already is not added twice; what goes beyond the limits is left out, and said. */
export function withParts(current: readonly DraftPart[], added: readonly DraftPart[]): Added {
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

/** What the host put ahead of the parts it was given; nothing where those are not at the end of what it has. */
export function partsAhead(stored: readonly DraftPart[], saved: readonly DraftPart[]): readonly DraftPart[] {
  const count = stored.length - saved.length;
  if (count <= 0) return [];
  return saved.every((part, index) => isSamePart(part, stored[count + index] ?? part)) ? stored.slice(0, count) : [];
}

/** What was attached while `sent` was on its way. */
export function partsLeft(current: readonly DraftPart[], sent: readonly DraftPart[]): readonly DraftPart[] {
  const left = current.filter((part) => !sent.includes(part));
  return left.length === current.length ? current : left;
}

export function partLabel(part: DraftPart): string {
  return part.kind === 'image' ? (part.name ?? t('Image')) : part.label;
}

export const mentionIcons: Readonly<Record<MentionKind | 'other', string>> = {
  file: 'file',
  folder: 'folder',
  symbol: 'symbol-method',
  problems: 'warning',
  selection: 'list-selection',
  terminal: 'terminal',
  git: 'git-commit',
  session: 'comment-discussion',
  other: 'attach',
};

/** The name of its codicon. */
export function partIcon(part: DraftPart): string {
  return part.kind === 'image' ? 'file-media' : mentionIcons[kindOfSource(part.source)];
}

/** A word for what a thing is, for those who do not see its icon. */
export function kindWords(kind: MentionKind): string {
  switch (kind) {
    case 'file':
      return t('file');
    case 'folder':
      return t('folder');
    case 'symbol':
      return t('symbol');
    case 'problems':
      return t('problems');
    case 'selection':
      return t('selection');
    case 'terminal':
      return t('terminal');
    case 'git':
      return t('Git');
    case 'session':
      return t('session');
    default:
      return kind satisfies never;
  }
}

/** How much it is, in words: characters of a text, bytes of an image; what is only named is read when it is sent. */
export function sizeWords(part: DraftPart): string {
  if (part.kind === 'mention') return t('read when the prompt is sent');
  if (part.kind === 'attachment') return t('{count} characters', { count: part.text.length.toLocaleString() });
  return bytesWords(Math.floor((part.dataBase64.length * 3) / 4));
}

export function bytesWords(bytes: number): string {
  return bytes < 1_000_000
    ? t('{count} KB', { count: Math.max(1, Math.round(bytes / 1000)) })
    : t('{count} MB', { count: (bytes / 1_000_000).toFixed(1) });
}

/** The address of an image's bytes, which the page's policy lets it draw. */
export function imageAddress(part: DraftPart & { readonly kind: 'image' }): string {
  return `data:${part.mediaType};base64,${part.dataBase64}`;
}

/** The link to the place in a file that a mention names, as links of answers are written; null for what is no file. */
export function fileLink(source: string): string | null {
  const match = /^(?:file:(?<file>.+?)|symbol:(?<symbol>.+?:\d+(?:-\d+)?)#.*)$/s.exec(source);
  const place = match?.groups?.['file'] ?? match?.groups?.['symbol'];
  if (place === undefined) return null;
  const [, path = place, line = ''] = /^(.+?)(:\d+)(?:-\d+)?$/s.exec(place) ?? [];
  return path.split('/').map(encodeURIComponent).join('/') + line;
}

function kindOfSource(source: string): MentionKind | 'other' {
  const kind = source.split(':', 1)[0] ?? '';
  return isMentionKind(kind) ? kind : 'other';
}

function isMentionKind(kind: string): kind is MentionKind {
  return kind !== 'other' && Object.hasOwn(mentionIcons, kind);
}
