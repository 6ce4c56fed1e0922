import { shownList, shownLanguage, t } from '../../base/translate';
import type { SessionSummary } from '../../transcript/session';
import { sourceTitle } from '../../transcript/sourceTitles';
import type { GroupKind } from './sessionGroups';
import type { OtherStore } from '../../store/library/otherStore';

/** Texts of a row in a picker. */
export interface ItemTexts {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

/** States of a session that the user should know before opening it, most urgent first. */
export type SessionMark = 'problem' | 'waiting' | 'running' | 'failed' | 'interrupted' | 'unread';

export function sessionMarks(session: SessionSummary): readonly SessionMark[] {
  const state = session.lastTurn?.state;
  return [
    ...(session.problem === null ? [] : (['problem'] as const)),
    ...(state === undefined || state === 'complete' ? [] : [state]),
    ...(session.unread ? (['unread'] as const) : []),
  ];
}

function markLabel(mark: SessionMark): string {
  const labels: Readonly<Record<SessionMark, string>> = {
    problem: t('couldn’t be fully read'),
    waiting: t('needs approval'),
    running: t('running'),
    failed: t('failed'),
    interrupted: t('interrupted'),
    unread: t('unread'),
  };
  return labels[mark];
}

export function groupLabel(group: GroupKind): string {
  const labels: Readonly<Record<GroupKind, string>> = {
    pinned: t('Pinned'),
    today: t('Today'),
    week: t('This Week'),
    older: t('Older'),
    archived: t('Archived'),
    trash: t('Trash'),
  };
  return labels[group];
}

export function titleText(session: { readonly title: string | null; readonly preview?: string | null }): string {
  return session.title ?? session.preview ?? t('Untitled Session');
}

export function turnLabels(count: number): string {
  return count === 1 ? t('1 turn') : t('{count} turns', { count });
}

/** Text after the title: age, turns, state. `now` in seconds since the epoch. */
export function factsOf(session: SessionSummary, now: number): readonly string[] {
  return [
    ageLabels(session.lastActiveAt, now),
    turnLabels(session.turnCount),
    ...(session.private ? [t('private')] : []),
    ...(session.machine === undefined ? [] : [session.machine]),
    ...(session.origin === undefined ? [] : [sourceTitle(session.origin.source)]),
    ...sessionMarks(session).map(markLabel),
  ];
}

/** Text for screen readers: everything that a row shows by icon, position or color. */
export function accessibleLabel(session: SessionSummary, now: number, isShown: boolean): string {
  return shownList([
    titleText(session),
    ...factsOf(session, now),
    ...(session.pinned ? [t('pinned')] : []),
    ...(session.branchOf === null ? [] : [originLabel(session.branchOf.title)]),
    ...(isShown ? [t('open')] : []),
  ]);
}

/** Tooltip of a row, as plain text. */
export function hoverText(session: SessionSummary): string {
  const title = titleText(session);
  const time = (seconds: number): string =>
    new Intl.DateTimeFormat(shownLanguage(), { dateStyle: 'medium', timeStyle: 'short' }).format(
      new Date(seconds * 1000),
    );
  const size = t('{turns}, {messages}', {
    turns: turnLabels(session.turnCount),
    messages: messageCount(session.messageCount),
  });
  const lines = [
    title,
    session.problem,
    session.preview === null || session.preview === title ? null : session.preview,
    t('Model: {model}', { model: session.model ?? t('default for new sessions') }),
    t('Size: {size}', { size }),
    session.branchOf === null ? null : originLabel(session.branchOf.title),
    t('Started {begun}, last active {active}', { begun: time(session.startedAt), active: time(session.lastActiveAt) }),
    session.trashedAt === null ? null : t('In the trash since {time}', { time: time(session.trashedAt) }),
    session.queuedCount === 0 ? null : t('Queued prompts: {count}', { count: String(session.queuedCount) }),
    session.machine === undefined ? null : t('Last continued on {machine}', { machine: session.machine }),
    session.private ? t('Private: not added to memory') : null,
    session.origin === undefined
      ? null
      : t('Imported from {agent} on {time}: {place}', {
          agent: [sourceTitle(session.origin.source), session.origin.writtenBy ?? ''].join(' ').trim(),
          time: time(session.origin.importedAt),
          place: session.origin.place,
        }),
  ];
  return lines.filter((line) => line !== null).join('\n');
}

function originLabel(title: string | null): string {
  return title === null ? t('Branched from an untitled session') : t('Branched from “{title}”', { title });
}

const steps = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Formats an age in the user's language: "5 minutes ago", or "now" below a minute. Times in seconds since the
 *  epoch. */
export function ageLabels(then: number, now: number): string {
  const format = new Intl.RelativeTimeFormat(shownLanguage(), { numeric: 'auto' });
  const age = Math.max(0, now - then);
  const step = steps.find(([, seconds]) => age >= seconds);
  return step === undefined ? format.format(0, 'second') : format.format(-Math.floor(age / step[1]), step[0]);
}

/** Name of a folder, or a description if the name is not known. */
export function folderName({ label }: Pick<OtherStore, 'label'>): string {
  if (label === null) return t('Unknown folder');
  if (label.kind === 'window') return t('A window without a folder');
  return label.name === '' ? (label.path ?? t('Unknown folder')) : label.name;
}

/** Full path of a folder if known, otherwise its name. */
export function folderPath(store: Pick<OtherStore, 'label'>): string {
  return store.label?.path ?? folderName(store);
}

export function sessionCount(count: number): string {
  return count === 1 ? t('1 session') : t('{count} sessions', { count: String(count) });
}

export function messageCount(count: number): string {
  return count === 1 ? t('1 message') : t('{count} messages', { count: String(count) });
}

export function sizeText(bytes: number): string {
  const [unit, size] = bytes >= 1e6 ? (['megabyte', bytes / 1e6] as const) : (['kilobyte', bytes / 1e3] as const);
  return new Intl.NumberFormat(shownLanguage(), {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: size < 10 ? 1 : 0,
  }).format(size);
}
