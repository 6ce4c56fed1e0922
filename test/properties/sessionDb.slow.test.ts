import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/store/storeError';
import { deliveredTexts } from '../../src/store/session/tables/chunkFolding';
import type { Chunk, Message } from '../../src/transcript/message';
import type { AssistantPart } from '../../src/transcript/part';
import { historyFaults } from '../support/providerRules';
import {
  answer,
  call,
  complete,
  openTurn,
  result,
  sessionDbWorld,
  stopped,
  type SessionDbWorld,
} from '../support/sessionDbWorld';

/** One thing that happens to the store. `session` picks one of two; what makes no sense at that moment is skipped. */
type Step =
  | {
      readonly kind:
        | 'open'
        | 'calls'
        | 'result'
        | 'nextAnswer'
        | 'settle'
        | 'retry'
        | 'powerCut'
        | 'recover'
        | 'index'
        | 'diskFull'
        | 'compress';
      readonly session: 0 | 1;
    }
  | {
      readonly kind: 'say';
      readonly session: 0 | 1;
      readonly texts: readonly string[];
      readonly part: 'text' | 'thinking';
    };

const session = fc.constantFrom(0, 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('say'),
      session,
      texts: fc.array(fc.string({ unit: 'binary', maxLength: 8 }), { minLength: 1, maxLength: 3 }),
      part: fc.constantFrom('text', 'thinking'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('open', 'calls', 'result', 'nextAnswer', 'settle'),
      session,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('retry', 'powerCut', 'recover', 'index', 'diskFull', 'compress'),
      session,
    }),
  },
);

interface ModelAnswer {
  readonly uid: string;
  readonly turnUid: string;
  readonly parts: { readonly kind: 'text' | 'thinking'; text: string }[];
  readonly calls: string[];
  seq: number;
  hidden: boolean;
}
interface ModelSession {
  /** The newest segment. */
  id: string;
  turn: string | null;
  lastTurn: string | null;
  current: ModelAnswer | null;
  answers: ModelAnswer[];
  prompts: string[];
  openCalls: string[];
}

/** What should be stored, in plain arrays, driven beside the real store. */
class Schedule {
  private readonly sessions: readonly ModelSession[] = ['s1', 's2'].map((id) => ({
    id,
    turn: null,
    lastTurn: null,
    current: null,
    answers: [],
    prompts: [],
    openCalls: [],
  }));
  private counter = 0;
  private full = false;

  constructor(public world: SessionDbWorld) {
    for (const { id } of this.sessions) world.db.createSession({ id, startedAt: 1 });
  }

  async run(one: Step): Promise<void> {
    const model = this.sessions[one.session];
    if (model === undefined) return;
    switch (one.kind) {
      case 'open':
        if (model.turn === null) this.open(model);
        return;
      case 'retry':
        if (model.turn === null && model.lastTurn !== null && this.isShown(model, `u-${model.lastTurn}`))
          this.open(model, model.lastTurn);
        return;
      case 'say':
        if (model.turn !== null && model.openCalls.length === 0) this.say(model, model.turn, one.texts, one.part);
        return;
      case 'calls':
        if (model.turn !== null && model.openCalls.length === 0) this.ask(model, model.turn);
        return;
      case 'result':
        if (model.turn !== null) this.answerCall(model, model.turn);
        return;
      case 'nextAnswer':
        if (model.openCalls.length === 0) this.finishAnswer(model);
        return;
      case 'settle':
        if (model.turn !== null) this.settle(model, model.turn);
        return;
      case 'recover':
        this.write(() => this.world.db.recoverTurns());
        for (const each of this.sessions) this.settled(each);
        return;
      case 'index':
        this.world.db.indexBatch(3);
        return;
      case 'compress':
        if (model.current === null && model.openCalls.length === 0) this.compress(model);
        return;
      case 'diskFull':
        this.full = true;
        return;
      case 'powerCut':
        this.world = await this.world.reopened();
        this.compare();
    }
  }

  finish(): void {
    for (const model of this.sessions) if (model.turn !== null) this.settle(model, model.turn);
    while (this.world.db.indexBatch(50) > 0);
  }

  /** Delivered = stored, once, in order. */
  compare(): void {
    for (const model of this.sessions) {
      const stored = this.world.db.readTranscript({ sessionId: model.id, limit: 10_000, includeHidden: true }).messages;
      expect(
        stored
          .filter((message) => message.role === 'user' && message.visibility.kind !== 'handoff')
          .map((message) => message.uid),
      ).toEqual(model.prompts);
      const answers = stored.flatMap((message) =>
        message.role === 'assistant' && !message.uid.endsWith('/closing') ? [message] : [],
      );
      expect(
        answers.map((message) => [
          message.uid,
          deliveredTexts(message.parts).filter((part) => part.text !== ''),
          message.visibility.kind,
        ]),
      ).toEqual(
        model.answers
          .filter(
            (one) =>
              answers.some((message) => message.uid === one.uid) ||
              one.calls.length > 0 ||
              one.parts.some((part) => part.text !== ''),
          )
          .map((one) => [one.uid, one.parts.filter((part) => part.text !== ''), one.hidden ? 'hidden' : 'shown']),
      );
    }
  }

  activeMessages(): readonly (readonly Message[])[] {
    return this.sessions.map((model) => {
      const rows = this.world.db.activeMessages(model.id);
      // A handoff is sent with the prompt behind it, as one message; before an answer it stands for the prompt.
      return rows[0]?.visibility.kind === 'handoff' && rows[1]?.role !== 'assistant' ? rows.slice(1) : rows;
    });
  }

  /** Only a prompt of the newest segment can be asked again. */
  private isShown(model: ModelSession, promptUid: string): boolean {
    return this.world.db.activeMessages(model.id).some(({ uid }) => uid.replace(/^.*\//, '') === promptUid);
  }

  private open(model: ModelSession, supersedes?: string): void {
    const turnUid = `t${++this.counter}`;
    this.write(() =>
      openTurn(this.world.db, {
        sessionId: model.id,
        turnUid,
        text: `prompt ${turnUid}`,
        ...(supersedes === undefined ? {} : { supersedes }),
      }),
    );
    for (const one of model.answers) if (one.turnUid === supersedes) one.hidden = true;
    model.prompts.push(`u-${turnUid}`);
    model.turn = turnUid;
    model.lastTurn = turnUid;
  }

  private say(model: ModelSession, turnUid: string, texts: readonly string[], kind: 'text' | 'thinking'): void {
    const current = this.currentAnswer(model, turnUid);
    const chunks = texts.map((text): Chunk => {
      const last = current.parts.at(-1);
      const part = last?.kind === kind ? last : { kind, text: '' };
      if (part !== last) current.parts.push(part);
      const chunk = {
        messageUid: current.uid,
        seq: ++current.seq,
        part: current.parts.length - 1,
        kind,
        start: part.text.length,
        text,
      };
      part.text += text;
      return chunk;
    });
    this.write(() => this.world.db.appendChunks({ sessionId: model.id, turnUid, model: 'm', createdAt: 2, chunks }));
  }

  private ask(model: ModelSession, turnUid: string): void {
    const current = this.currentAnswer(model, turnUid);
    current.calls.push(`c${++this.counter}`, `c${++this.counter}`);
    const parts: AssistantPart[] = [...current.parts, ...current.calls.map((callId) => call(callId))];
    this.write(() =>
      this.world.db.putMessages([{ ...answer(current.uid, parts, turnUid, model.id), lastSeq: current.seq }]),
    );
    model.openCalls = [...current.calls];
    model.current = null;
  }

  private answerCall(model: ModelSession, turnUid: string): void {
    const callId = model.openCalls.pop();
    if (callId !== undefined)
      this.write(() =>
        this.world.db.putMessages([{ ...result(`r-${callId}`, callId, 'ok', turnUid), sessionId: model.id }]),
      );
  }

  private compress(model: ModelSession): void {
    const rows = this.world.db.activeMessages(model.id);
    const borders = rows.filter((_, index) => rows[index + 1]?.role !== 'tool');
    const last = borders[++this.counter % Math.max(1, borders.length)];
    if (last === undefined) return;
    const childId = `${model.id}+`;
    const turnUid = model.turn === null ? {} : { turnUid: model.turn };
    this.write(() =>
      this.world.db.compressSession({
        parentId: model.id,
        childId,
        handoff: `until ${last.uid}`,
        summarisedUpTo: last.uid,
        now: 3,
        ...turnUid,
      }),
    );
    model.id = childId;
  }

  private finishAnswer(model: ModelSession): void {
    const { current, turn } = model;
    if (current === null || turn === null) return;
    this.write(() =>
      this.world.db.putMessages([{ ...answer(current.uid, current.parts, turn, model.id), lastSeq: current.seq }]),
    );
    model.current = null;
  }

  private settle(model: ModelSession, turnUid: string): void {
    this.write(() =>
      this.world.db.settleTurn({
        turnUid,
        settledAt: 9,
        settlement: this.counter % 2 === 0 ? complete : stopped,
        messages: [],
      }),
    );
    this.settled(model);
  }

  private settled(model: ModelSession): void {
    model.turn = null;
    model.current = null;
    model.openCalls = [];
  }

  private currentAnswer(model: ModelSession, turnUid: string): ModelAnswer {
    if (model.current !== null) return model.current;
    const created: ModelAnswer = { uid: `a${++this.counter}`, turnUid, parts: [], calls: [], seq: 0, hidden: false };
    model.current = created;
    model.answers.push(created);
    return created;
  }

  /** Does a write; on a full disk it fails first, and is repeated as a caller who cannot know what was written would. */
  private write(work: () => void): void {
    if (this.full) {
      this.full = false;
      this.world.disk.capacity = 0;
      try {
        work();
      } catch (error) {
        if (!(error instanceof StoreError) || error.causeClass !== 'full') throw error;
      } finally {
        this.world.disk.capacity = Number.POSITIVE_INFINITY;
      }
    }
    work();
  }
}

describe('the store, in any schedule', () => {
  it('holds what was delivered, once, in order, and ends with a history every provider accepts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const schedule = new Schedule(await sessionDbWorld());
        for (const one of steps) await schedule.run(one);
        schedule.compare();
        schedule.finish();
        schedule.compare();
        expect({
          faults: schedule.activeMessages().map(historyFaults),
          damage: schedule.world.db.verifyIntegrity(),
        }).toEqual({ faults: [[], []], damage: [] });
        schedule.world.database.close();
      }),
      { numRuns: 100 },
    );
  });
});
