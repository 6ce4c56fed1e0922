import fc from 'fast-check';
import { hashOf } from '../../../src/store/session/tables/fileChangeTable';
import type { SessionDb } from '../../../src/store/session/sessionDb';
import { activeUids, anApproval, answer, complete, prompt, result } from '../sessionDbWorld';

/** One thing that a user or an agent does. */
export interface StoreStep {
  readonly kind: 'ask' | 'tool' | 'retry' | 'rewind' | 'branch' | 'compress' | 'mark';
  readonly pick: number;
  readonly text: string;
}

export const storeSteps: fc.Arbitrary<readonly StoreStep[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(
      'ask' as const,
      'ask' as const,
      'tool' as const,
      'tool' as const,
      'retry' as const,
      'rewind' as const,
      'branch' as const,
      'compress' as const,
      'mark' as const,
    ),
    pick: fc.nat(1000),
    text: fc.string({ unit: 'binary', maxLength: 40 }),
  }),
  { minLength: 1, maxLength: 25, size: 'max' },
);

/** Does the steps in a store: prompts with images, tools with approvals and changed files, versions, branches, segments. */
export function fillStore(db: SessionDb, steps: readonly StoreStep[]): void {
  const tips = ['s0'];
  const spent = new Set<string>();
  db.createSession({ id: 's0', startedAt: 1 });
  steps.forEach((step, index) => doStep(db, tips, step, index, spent));
}

function doStep(
  db: SessionDb,
  tips: string[],
  { kind, pick, text }: StoreStep,
  index: number,
  spent: Set<string>,
): void {
  const place = pick % tips.length;
  const tip = tips[place] ?? 's0';
  const shown = db.readTranscript({ sessionId: tip, limit: 1000 }).messages;
  const turns = [...new Set(activeUids(db, tip).map((uid) => db.getMessage(uid)?.turnUid ?? ''))].filter(
    (uid) => uid !== '' && db.getTurn(uid)?.sessionId === tip,
  );
  const turn = turns[pick % Math.max(1, turns.length)];
  switch (kind) {
    case 'ask':
    case 'tool':
      return ask(db, tip, `t${index}`, text, kind === 'tool');
    case 'retry':
      return turn === undefined ? undefined : ask(db, tip, `t${index}`, text, false, turn);
    case 'rewind': {
      const prompts = shown.filter(({ role, turnUid }) => role === 'user' && turns.includes(turnUid ?? ''));
      const to = prompts[pick % Math.max(1, prompts.length)]?.uid;
      if (to !== undefined) db.rewindSession({ sessionId: tip, to, now: 5 });
      return;
    }
    case 'branch': {
      const answers = shown.filter(({ role, turnUid }) => role === 'assistant' && turns.includes(turnUid ?? ''));
      const upTo = answers.at(pick % Math.max(1, answers.length))?.uid;
      if (upTo === undefined || tips.length > 3) return;
      db.branchSession({ sessionId: tip, upTo, childId: `b${index}`, now: 5 });
      tips.push(`b${index}`);
      return;
    }
    case 'compress': {
      const last = activeUids(db, tip).at(-1);
      if (last === undefined || turns.length === 0 || spent.has(tip)) return;
      spent.add(tip);
      db.compressSession({
        parentId: tip,
        childId: `c${index}`,
        handoff: `Summary ${text}`,
        summarisedUpTo: last,
        now: 5,
      });
      tips[place] = `c${index}`;
      return;
    }
    case 'mark':
      db.setTitle(tip, `Title ${index} ${text}`, 'person');
  }
}

function ask(db: SessionDb, sessionId: string, uid: string, text: string, withTool: boolean, replaced?: string): void {
  const image = { kind: 'image', mediaType: 'image/png', dataBase64: Buffer.from(text).toString('base64') } as const;
  const asked = prompt(`u-${uid}`, `${text}?`, uid, sessionId);
  db.openTurn({
    turnUid: uid,
    sessionId,
    userMessage: { ...asked, parts: [...asked.parts, image] },
    model: 'Local/test',
    startedAt: 2,
    ...(replaced === undefined ? {} : { replaces: { turnUid: replaced, reason: 'retried' as const } }),
  });
  if (withTool) useTool(db, sessionId, uid, text);
  const thinking = {
    kind: 'thinking',
    text: `Hm ${text}`,
    metadata: { anthropic: { signature: text, 2: 1, 1: 2 } },
  } as const;
  const last = answer(`a-${uid}`, [thinking, { kind: 'text', text }], uid, sessionId);
  const usage = {
    inputTokens: 5,
    outputTokens: text.length,
    cachedInputTokens: null,
    cacheWriteTokens: null,
    reasoningTokens: 1,
  };
  db.settleTurn({ turnUid: uid, settledAt: 9.25, settlement: complete, messages: [{ ...last, usage }] });
}

function useTool(db: SessionDb, sessionId: string, uid: string, text: string): void {
  const callId = `c-${uid}`;
  const call = { kind: 'toolCall', callId, name: 'write_file', arguments: JSON.stringify({ text }) } as const;
  db.putMessages([answer(`m-${uid}`, [call], uid, sessionId)]);
  db.requestApproval(anApproval(`ap-${uid}`, { turnUid: uid, sessionId, messageUid: `m-${uid}`, callId }));
  db.decideApproval(`ap-${uid}`, { kind: 'allow', scope: 'once' }, 5);
  const content = (bytes: Uint8Array) => ({ hash: hashOf(bytes), bytes });
  const [before, after] = [content(Buffer.from(`old ${text}`)), content(Buffer.from(`new ${text}`.repeat(9)))];
  db.recordFileChanges(
    [
      {
        uid: `f-${uid}`,
        sessionId,
        turnUid: uid,
        callId,
        path: '/w/a',
        before: before.hash,
        after: undefined,
        changedAt: 6,
        reviewed: null,
      },
    ],
    [before],
  );
  db.completeFileChanges([{ uid: `f-${uid}`, after: after.hash }], [after]);
  db.putMessages([{ ...result(`r-${uid}`, callId, text, uid), sessionId }]);
}
