import { createHash } from 'node:crypto';
import type { ForeignSession } from '../sources/foreign';

/** Id of an imported session, the same for each import of it. `version`: 1, or more when its content had to become a
 *  branch beside an earlier version. */
export function importedSessionId({ source, id }: Pick<ForeignSession, 'source' | 'id'>, version = 1): string {
  const own = `import_${digestOf([source, id]).slice(0, 24)}`;
  return version === 1 ? own : `${own}~${version}`;
}

/** Id of the segment number `number` of an imported session; the first segment has the session's id. */
export function segmentId(sessionId: string, number: number): string {
  return number === 1 ? sessionId : `${sessionId}.${number}`;
}

/** Excludes the name of a handoff. */
const plainKey = /^(?!handoff$)[\w .:-]{1,100}$/;

/** Uid of the row of a message. Ids that could not be part of a uid are replaced by their digest. */
export function messageUid(sessionId: string, messageId: string): string {
  return `${sessionId}/${plainKey.test(messageId) ? messageId : `#${digestOf([messageId])}`}`;
}

function digestOf(values: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex');
}
