import { t, shownLanguage } from '../../../base/translate';
import { basename } from 'node:path';
import type { BackupSummary } from '../core/manifest';
import type { OtherBackups } from '../core/otherBackups';
import type { BackupReason, SessionEntry } from '../core/manifest';
import { messageCount, sessionCount, sizeText, folderName, type ItemTexts } from '../../../host/library/sessionLabels';

/** A conversation in a backup. */
export interface BackupConversation {
  /** Session that names it: the one that was active last. */
  readonly sessionId: string;
  readonly title: string | null;
  readonly lastActivityAt: number;
  readonly messages: number;
  /** Compared with the present history: not there at all, there with fewer messages, or there. */
  readonly state: 'missing' | 'shorter' | 'here';
}

/** Conversations of a backup, those active last first. `present`: messages of each session in the present history.
 *  Pure. */
export function conversationsIn(
  entries: readonly SessionEntry[],
  present: ReadonlyMap<string, number>,
): readonly BackupConversation[] {
  const grouped = new Map<string, readonly SessionEntry[]>();
  for (const entry of entries)
    if (!entry.isSubAgent) grouped.set(entry.conversationId, [...(grouped.get(entry.conversationId) ?? []), entry]);
  return [...grouped.values()]
    .flatMap((segments) => {
      const [newest] = [...segments].sort((one, other) => other.lastActivityAt - one.lastActivityAt);
      if (newest === undefined) return [];
      const { id, title, lastActivityAt } = newest;
      const messages = segments.reduce((sum, segment) => sum + segment.messages, 0);
      return [{ sessionId: id, title, lastActivityAt, messages, state: stateOf(segments, present) }];
    })
    .filter(({ messages }) => messages > 0)
    .sort((one, other) => other.lastActivityAt - one.lastActivityAt);
}

function stateOf(segments: readonly SessionEntry[], present: ReadonlyMap<string, number>): BackupConversation['state'] {
  if (segments.every(({ id }) => !present.has(id))) return 'missing';
  return segments.some(({ id, messages }) => messages > (present.get(id) ?? 0)) ? 'shorter' : 'here';
}

/** Row of a backup in the picker. */
export function backupTexts(backup: BackupSummary): ItemTexts {
  const { sessions, messages, bytes } = backup;
  return {
    label: timeText(backup.madeAt),
    description: [sessionCount(sessions), messageCount(messages), sizeText(bytes)].join(' · '),
    detail: reasonText(backup.reason),
  };
}

/** The same for a backup of another store, with the folder that it belongs to. */
export function otherBackupTexts(
  backup: BackupSummary,
  { folder, label }: Pick<OtherBackups, 'folder' | 'label'>,
): ItemTexts {
  const { label: time, description, detail } = backupTexts(backup);
  const name = label === null ? basename(folder) : folderName({ label });
  const path = label?.path ?? folder;
  return { label: time, description: [name, description].join(' · '), detail: [path, detail].join(' · ') };
}

/** Facts of a conversation's row in the preview of a backup. */
export function conversationFacts({ lastActivityAt, messages, state }: BackupConversation): string {
  const states = { missing: [t('not here now')], shorter: [t('has more messages than here')], here: [] };
  return [timeText(lastActivityAt), messageCount(messages), ...states[state]].join(' · ');
}

export function timeText(seconds: number): string {
  return new Intl.DateTimeFormat(shownLanguage(), { dateStyle: 'medium', timeStyle: 'short' }).format(
    new Date(seconds * 1000),
  );
}

function reasonText(reason: BackupReason): string {
  switch (reason) {
    case 'scheduled':
      return t('Made automatically');
    case 'request':
      return t('Made with Back Up Now');
    case 'migration':
      return t('Made before an update of the file');
    case 'restore':
      return t('Made before a restore');
    default:
      return reason satisfies never;
  }
}
