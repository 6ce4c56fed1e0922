import { parsedAs } from '../../../transcript/json';
import type { Clock } from '../../../base/clock';
import type { GatewayPart } from '../../../gateway/conversationGateway';
import type { Disposable } from '../../../base/disposable';
import type { Log } from '../../../base/log';
import type { TurnElsewhere } from '../../../protocol/syncProtocol';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { SharedTurns, WatchedTurn } from '../core/turnSharing';
import type { SyncService } from '../core/syncService';
import * as v from 'valibot';
import { answerText, type AssistantMessage, type Message } from '../../../transcript/message';
import type { ToolCallPart } from '../../../transcript/part';

const shownSchema = v.object({
  turnUid: v.string(),
  model: v.string(),
  prompt: v.string(),
  text: v.string(),
  call: v.nullable(v.object({ callId: v.string(), name: v.string(), arguments: v.string() })),
});

/** What a running turn shows to other machines. */
export type ShownTurn = v.InferOutput<typeof shownSchema>;

interface WatchedTurnsDeps {
  readonly turns: SharedTurns;
  readonly service: Pick<SyncService, 'takeOver'>;
  readonly sessions: SessionStore;
  readonly gateway: GatewayPart<'switching', 'received'> & GatewayPart<'turns', 'conversations'>;
  /** The session that the user sees. */
  readonly shownSession: () => string | null;
  readonly clock: Clock;
  readonly log: Log;
  readonly onChange: () => void;
}

export interface SeenTurn extends WatchedTurn {
  readonly conversationId: string;
}

/** Milliseconds between two looks, by the time since the user did something or a turn was seen. After that nothing is
 *  asked until the user does something. */
const paces = [
  { untilMs: 60_000, everyMs: 1000 },
  { untilMs: 5 * 60_000, everyMs: 5000 },
] as const;
/** Least milliseconds after a failure. */
const retryMs = 5000;

/** Looks if another machine runs a turn in the conversation that the user sees here, and what it shows. */
export class TurnWatch implements Disposable {
  private conversationId: string | null = null;
  private seen: SeenTurn | null = null;
  private activeAt: number;
  private isLooking = false;
  private isDisposed = false;
  private cancelNext: () => void = () => undefined;

  constructor(
    private readonly deps: Pick<WatchedTurnsDeps, 'turns' | 'clock' | 'log'> & {
      readonly gateway: GatewayPart<'turns', 'conversations'>;
    },
    private readonly changed: (seen: SeenTurn | null) => void,
  ) {
    this.activeAt = deps.clock.monotonicMs();
  }

  get state(): SeenTurn | null {
    return this.seen;
  }

  /** The conversation that the user sees; null for none. */
  follow(conversationId: string | null): void {
    if (conversationId === this.conversationId) return;
    this.conversationId = conversationId;
    this.show(null);
    this.active();
  }

  /** Called when the user does something, or when something came from another machine. */
  active(): void {
    this.activeAt = this.deps.clock.monotonicMs();
    this.lookIn(0);
  }

  /** Asks the machine whose turn is seen to stop it. */
  async askToStop(): Promise<void> {
    if (this.seen === null) return;
    await this.deps.turns.askToStop(this.seen.conversationId, this.seen.fence);
    this.active();
  }

  dispose(): void {
    this.isDisposed = true;
    this.cancelNext();
    this.show(null);
  }

  private lookIn(delayMs: number): void {
    this.cancelNext();
    if (this.isDisposed || this.isLooking || this.conversationId === null) return;
    this.cancelNext = this.deps.clock.after(delayMs, () => {
      this.isLooking = true;
      void this.look().then((nextMs) => {
        this.isLooking = false;
        if (nextMs !== null) this.lookIn(nextMs);
      });
    });
  }

  /** Resolves with the milliseconds until the next look; null when none is due. Never rejects. */
  private async look(): Promise<number | null> {
    const { turns, clock, log, gateway } = this.deps;
    const { conversationId } = this;
    if (conversationId === null) return null;
    try {
      const turn = gateway.turns.conversations().has(conversationId) ? null : await turns.watch(conversationId);
      // Another session is shown meanwhile.
      if (conversationId !== this.conversationId) return 0;
      this.show(turn === null ? null : { ...turn, conversationId });
      if (turn?.isAlive === true) this.activeAt = clock.monotonicMs();
    } catch (error) {
      log.info(`Turns of other machines cannot be seen: ${String(error)}`);
      return this.nextMs(retryMs);
    }
    return this.nextMs(0);
  }

  private nextMs(atLeastMs: number): number | null {
    const idleMs = this.deps.clock.monotonicMs() - this.activeAt;
    const pace = paces.find(({ untilMs }) => idleMs < untilMs);
    return pace === undefined ? null : Math.max(pace.everyMs, atLeastMs);
  }

  private show(seen: SeenTurn | null): void {
    if (JSON.stringify(seen) === JSON.stringify(this.seen)) return;
    this.seen = seen;
    this.changed(seen);
  }
}

/** The turn that another machine runs in the session that the user sees. */
export class WatchedTurns implements Disposable {
  private readonly watch: TurnWatch;
  private shown: ShownTurn | null = null;
  private working: Promise<void> = Promise.resolve();
  private taking: Promise<void> | null = null;
  turn: TurnElsewhere | null = null;

  constructor(private readonly deps: WatchedTurnsDeps) {
    this.watch = new TurnWatch(deps, () => this.refresh());
    this.shownChanged();
  }

  /** Called when the user may see another session. */
  shownChanged(): void {
    this.later(async () => {
      const sessionId = this.deps.shownSession();
      const session = sessionId === null ? null : await this.deps.sessions.getSession(sessionId);
      this.watch.follow(session?.conversationId ?? null);
    });
  }

  /** Called when the user does something, or when something came from another machine. */
  active(): void {
    this.watch.active();
    this.refresh();
  }

  async stop(): Promise<void> {
    await this.watch.askToStop();
  }

  /** Continues here: what was seen is stored as an interrupted turn, so that it is not lost and the model knows it.
   *  Does nothing when the other machine is back, or the second time. */
  takeOver(): Promise<void> {
    this.taking ??= this.takeOverOnce().finally(() => (this.taking = null));
    return this.taking;
  }

  private async takeOverOnce(): Promise<void> {
    const { service, sessions, gateway, clock } = this.deps;
    const { turn, shown } = this;
    if (turn === null || shown === null || !(await service.takeOver(turn.conversationId))) return this.active();
    if (await this.isNew(shown)) {
      const [turnUid, now] = [takenUid(shown), clock.now()];
      const sessionId = await sessions.conversationTip(turn.conversationId);
      const row = { sessionId, turnUid, createdAt: now, visibility: { kind: 'shown' }, carriedFrom: null } as const;
      const answer = {
        uid: `${turnUid}/answer`,
        role: 'assistant',
        parts: [{ kind: 'text', text: shown.text }],
        state: 'final',
        lastSeq: 0,
        model: shown.model,
        finishReason: null,
        usage: null,
      } as const;
      await sessions.openTurn({
        turnUid,
        sessionId,
        userMessage: { ...row, uid: `${turnUid}/prompt`, role: 'user', parts: [{ kind: 'text', text: shown.prompt }] },
        model: shown.model,
        startedAt: now,
      });
      await sessions.settleTurn({
        turnUid,
        settledAt: now,
        settlement: { outcome: 'interrupted', stopReason: 'connectionLost', failure: null },
        messages: shown.text === '' ? [] : [{ ...row, ...answer }],
      });
    }
    await gateway.switching.received(turn.conversationId, null);
    this.active();
  }

  dispose(): void {
    this.watch.dispose();
  }

  /** A turn that has arrived as a whole is part of the transcript, and not shown twice. */
  private refresh(): void {
    this.later(async () => {
      const seen = this.watch.state;
      // Null for what another build wrote, or what was damaged on its way.
      const shown = parsedAs(shownSchema, seen?.body);
      const isNew = shown !== null && (await this.isNew(shown));
      this.shown = isNew ? shown : null;
      const turn = seen !== null && isNew ? turnElsewhere(seen, shown) : null;
      if (JSON.stringify(turn) === JSON.stringify(this.turn)) return;
      this.turn = turn;
      this.deps.onChange();
    });
  }

  /** False once the turn has arrived as a whole, or was taken over. */
  private async isNew(shown: ShownTurn): Promise<boolean> {
    const found = [shown.turnUid, takenUid(shown)].map((uid) => this.deps.sessions.getTurn(uid));
    return (await Promise.all(found)).every((turn) => turn === null);
  }

  private later(work: () => Promise<void>): void {
    this.working = this.working
      .then(work)
      .catch((error: unknown) => this.deps.log.warn(`Turns of other machines cannot be shown: ${String(error)}`));
  }
}

/** Its rows are named after the other machine's turn: taking it twice makes them once. */
function takenUid({ turnUid }: ShownTurn): string {
  return `${turnUid}/taken`;
}

/** Messages of a turn that are read for showing it. */
const mostMessages = 60;
/** Characters of each text that travel while the turn runs. The whole turn follows when it has ended. */
const mostText = 60_000;
const mostPrompt = 4000;
const mostArguments = 2000;

type Reads = Pick<SessionStore, 'conversationTip' | 'openTurnOf' | 'readTranscript'>;

/** Reads what the running turn of a conversation has stored so far, in JSON. Null when none runs. */
export async function readShownTurn(store: Reads, conversationId: string): Promise<string | null> {
  const sessionId = await store.conversationTip(conversationId);
  const turn = await store.openTurnOf(sessionId);
  if (turn === null) return null;
  const { messages } = await store.readTranscript({ sessionId, limit: mostMessages });
  const own = messages.filter(({ turnUid }) => turnUid === turn.uid);
  const shown: ShownTurn = {
    turnUid: turn.uid,
    model: turn.model,
    prompt: plainText(own.find(({ role }) => role === 'user')).slice(0, mostPrompt),
    text: answers(own)
      .map(({ parts }) => answerText(parts))
      .filter((text) => text !== '')
      .join('\n\n')
      .slice(-mostText),
    call: openCall(own),
  };
  return JSON.stringify(shown);
}

/** The turn as a chat shows it. */
function turnElsewhere(seen: SeenTurn, shown: ShownTurn): TurnElsewhere {
  const { conversationId, machine, isAlive, isStopAsked } = seen;
  const { prompt, text, call } = shown;
  return {
    conversationId,
    machine,
    prompt,
    text,
    call: call === null ? null : { kind: 'toolCall', ...call },
    isAlive,
    isStopAsked,
  };
}

function answers(messages: readonly Message[]): readonly AssistantMessage[] {
  return messages.filter((message): message is AssistantMessage => message.role === 'assistant');
}

function plainText(message: Message | undefined): string {
  return (message?.parts ?? []).flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
}

/** The first call without a result. */
function openCall(messages: readonly Message[]): ShownTurn['call'] {
  const done = new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'toolResult' ? [part.callId] : []))),
  );
  const call = answers(messages)
    .flatMap(({ parts }) => parts)
    .find((part): part is ToolCallPart => part.kind === 'toolCall' && !done.has(part.callId));
  return call === undefined
    ? null
    : { callId: call.callId, name: call.name, arguments: call.arguments.slice(0, mostArguments) };
}
