import { shownLanguage, t } from '../../../base/translate';
import type { ChatSync, TurnElsewhere } from '../../../protocol/syncProtocol';
import type { SyncStatus } from '../core/syncService';

/** Seconds. */
const day = 24 * 60 * 60;

/** One line: "On the server up to 14:02 · To send: 3". */
export function syncLine({ upTo, waiting, removed, refused, failure }: SyncStatus): string {
  const parts = [
    upTo === null ? t('Not yet on the server') : t('On the server up to {time}', { time: clockTime(upTo) }),
    ...(waiting === 0 ? [] : [t('To send: {count}', { count: waiting })]),
    ...(refused.length === 0 ? [] : [t('Sessions that wait: {count}', { count: refused.length })]),
    ...(removed === 0 ? [] : [t('Removed by the server, kept here: {count}', { count: removed })]),
  ];
  return failure === null ? parts.join(' · ') : `${parts.join(' · ')} · ${failure.sentence}`;
}

/** What a chat shows. `now`: seconds since the epoch. */
export function chatSync(status: SyncStatus, now: number, turn: TurnElsewhere | null): ChatSync {
  const state = isOverdue(status, now)
    ? 'overdue'
    : status.failure !== null || status.refused.length > 0
      ? 'failed'
      : status.waiting > 0
        ? 'waiting'
        : 'even';
  return { line: `${t('Saved here')} · ${syncLine(status)}`, state, refused: status.refused, turn };
}

/** True when the user must hear of it: something waits for more than a day. `now`: seconds since the epoch. */
export function isOverdue({ waitingSince, refused, failure }: SyncStatus, now: number): boolean {
  return (failure !== null || refused.length > 0) && waitingSince !== null && now - waitingSince > day;
}

function clockTime(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString(shownLanguage(), { hour: '2-digit', minute: '2-digit' });
}

export function dateAndTime(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString(shownLanguage(), { dateStyle: 'medium', timeStyle: 'short' });
}
