import type { RepairStep } from '../../../store/repairs';
import { storeRules, type StoreRuleId } from '../../../store/session/queries/integrity';
import type { FindingId } from '../findings/finding';

/** A rule over the whole file: its query returns what violates it as `uid`. */
interface FileRule {
  readonly id: FindingId;
  readonly sql: string;
  /** SQL for the session of a `uid`. */
  readonly session: string;
  steps(uid: string): readonly RepairStep[];
}

type Kind = Omit<FileRule, 'sql'>;

const ofMessage = 'SELECT session_id AS id FROM messages WHERE uid = ?';
const ofTurn = 'SELECT session_id AS id FROM turns WHERE uid = ?';
const itself = 'SELECT ? AS id';

const unfolded: Kind = { id: 'unfoldedText', session: ofMessage, steps: (uid) => [{ kind: 'fold', uid }] };
const link: Kind = { id: 'brokenLink', session: ofMessage, steps: (uid) => [{ kind: 'unlink', uid }] };
const detached = (id: FindingId): Kind => ({
  id,
  session: itself,
  steps: (sessionId) => [{ kind: 'detach', sessionId }],
});

/** The store's own rules as findings. Null: another rule finds it, or no transcript is concerned. */
const kinds: { readonly [R in StoreRuleId]: Kind | null } = {
  unfoldedChunks: unfolded,
  chunkGap: unfolded,
  streamingWithoutTurn: unfolded,
  unansweredCall: null,
  turnWithoutAnswer: {
    id: 'endsWithResult',
    session: ofTurn,
    steps: (turnUid) => [{ kind: 'closeTurn', turnUid }],
  },
  unreadableMessage: null,
  wrongCount: { id: 'wrongCount', session: itself, steps: (sessionId) => [{ kind: 'recount', sessionId }] },
  missingFirstSegment: detached('danglingParent'),
  endedWithoutContinuation: {
    id: 'endedWithoutChild',
    session: itself,
    steps: (sessionId) => [{ kind: 'reopen', sessionId }],
  },
  shownAndHidden: link,
  hiddenWithMissingTurn: link,
  copyOfMissing: link,
  waitingWithoutApproval: {
    id: 'brokenApproval',
    session: ofTurn,
    steps: (turnUid) => [{ kind: 'settleTurn', turnUid }],
  },
  approvalWithoutTurn: {
    id: 'brokenApproval',
    session: 'SELECT session_id AS id FROM approvals WHERE id = ?',
    steps: (approvalId) => [{ kind: 'expireApproval', approvalId }],
  },
  unnamedContent: null,
  turnElsewhere: { id: 'brokenLink', session: ofTurn, steps: (turnUid) => [{ kind: 'moveTurn', turnUid }] },
};

export const fileRules: readonly FileRule[] = [
  ...storeRules.flatMap(({ id, sql }) => {
    const kind = kinds[id];
    return kind === null ? [] : [{ ...kind, sql }];
  }),
  {
    ...detached('danglingParent'),
    sql: `SELECT id AS uid FROM sessions s WHERE parent_session_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM sessions p WHERE p.id = s.parent_session_id)`,
  },
  {
    id: 'orphanRows',
    session: itself,
    sql: `SELECT DISTINCT session_id AS uid FROM messages m
      WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = m.session_id)`,
    steps: (sessionId) => [{ kind: 'restoreSession', sessionId }],
  },
];
