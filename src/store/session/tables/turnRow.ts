import { parsedAs } from '../../../transcript/json';
import * as v from 'valibot';
import { t } from '../../../base/translate';
import type { SqlRow } from '../../engine/sqlDatabase';
import {
  limitCauses,
  modelFailureCauses,
  stopReasons,
  storeFailureCauses,
  type Failure,
} from '../../../transcript/stopReason';
import type { Turn, Recalled } from '../../../transcript/turn';
import { oneOf, readText, readTime, usageOf } from './columns';

export const failure = v.object({
  cause: v.picklist([...modelFailureCauses, ...storeFailureCauses, ...limitCauses]),
  sentence: v.string(),
  technical: v.string(),
});

const recalled = v.array(v.object({ provider: v.string(), label: v.string(), count: v.number() }));

/** Reads a row of `turns`. An unreadable state counts as a settled failure: it must not hold the conversation's
 *  slot. */
export function readTurnRow(row: SqlRow): Turn {
  const base = {
    uid: readText(row, 'uid', ''),
    sessionId: readText(row, 'session_id', ''),
    userMessageUid: readText(row, 'user_message_uid', ''),
    model: readText(row, 'model', ''),
    startedAt: readTime(row, 'started_at', 0),
    usage: usageOf(row),
    supersedes: readText(row, 'supersedes', null),
    ...recalledOf(row),
  };
  const state = oneOf(row, 'state', ['running', 'waiting', 'settled'], 'settled');
  switch (state) {
    case 'running':
      return { ...base, state };
    case 'waiting':
      return { ...base, state, approvalId: readText(row, 'approval_id', '') };
    case 'settled':
      return {
        ...base,
        state,
        settledAt: readTime(row, 'settled_at', base.startedAt),
        outcome: oneOf(row, 'outcome', ['complete', 'interrupted', 'failed'], 'failed'),
        stopReason: oneOf(row, 'stop_reason', stopReasons, 'error'),
        failure: failureOf(row),
      };
  }
}

function failureOf(row: SqlRow): Failure | null {
  const stored = readText(row, 'failure', null);
  if (stored === null) return null;
  const unread = t('What went wrong couldn’t be read from the file.');
  return parsedAs(failure, stored) ?? { cause: 'unknown', sentence: unread, technical: stored };
}

function recalledOf(row: SqlRow): { readonly recalled?: readonly Recalled[] } {
  const found = parsedAs(recalled, readText(row, 'recalled', null)) ?? [];
  return found.length === 0 ? {} : { recalled: found };
}
