import { errorMessage } from '../../../base/errorMessage';
import { type AnyTool, defineTool, done, failed, type ToolOutput } from '../../../tools/tool';
import type {
  CompletedTurn,
  MemoryProvider,
  RecallStatus,
  SessionStart,
  SessionSwitch,
  StartingTurn,
} from '../../../memory/memoryProvider';
import { conversationContext, sessionTag } from './documentContent';
import { failureSentence } from './failure';
import { begunEntry, begunEntryUid, hindsightName, noteEntry, refreshEntry, turnEntry } from './outboxEntries';
import type { HindsightServices, Connect, HindsightConnection } from './ports';
import type { HindsightRetainer } from './retainer';
import * as v from 'valibot';
import { estimateTokens } from '../../../transcript/contextUse';

interface ExplicitMemory {
  readonly content: string;
  readonly context: string | null;
  readonly tags: readonly string[];
  /** ISO 8601. */
  readonly occurredAt: string | null;
}

const text = (what: string) => v.pipe(v.string(), v.trim(), v.nonEmpty(`${what} is missing`));
const querySchema = (what: string) => v.object({ query: v.pipe(text('query'), v.description(what)) });

/** The model's tools for long-term memory. `retain`: stores a memory on disk and sends it. Resolves with `sent` when it
 *  has arrived. */
function hindsightTools(
  connect: Connect,
  retain: (memory: ExplicitMemory) => Promise<'sent' | 'waiting'>,
): readonly AnyTool[] {
  return [
    defineTool({
      name: 'hindsight_retain',
      description:
        'Stores something worth knowing in later sessions in long-term memory: decisions, preferences, facts ' +
        'about the project or the person. Completed turns are stored anyway.',
      schema: v.object({
        content: v.pipe(text('content'), v.description('What to remember, understandable on its own.')),
        context: v.optional(v.pipe(v.string(), v.description('What it was about.'))),
        tags: v.optional(v.pipe(v.array(v.string()), v.description('Labels to find it by.'))),
        occurred_at: v.optional(
          v.pipe(
            v.string(),
            v.check((time) => !Number.isNaN(Date.parse(time)), 'is not an ISO 8601 time'),
            v.description('When it happened, ISO 8601.'),
          ),
        ),
      }),
      readOnly: false,
      run: async ({ content, context, tags, occurred_at: occurredAt }) => {
        const outcome = await retain({
          content,
          context: context ?? null,
          tags: tags ?? [],
          occurredAt: occurredAt ?? null,
        });
        return done(
          outcome === 'sent'
            ? 'Memory stored successfully.'
            : 'Memory kept on this machine; it is sent when Hindsight can be reached.',
        );
      },
    }),
    defineTool({
      name: 'hindsight_recall',
      description: 'Searches long-term memory of earlier sessions. Returns what was found, best first.',
      schema: querySchema('What to look for.'),
      readOnly: true,
      run: ({ query }, signal) =>
        withServer(connect, async ({ api, place }) => {
          const answer = await api.recall({ query: recallQuery(query), budget: 'mid', maxTokens: 4096 }, signal);
          if (answer.kind === 'failed') return failed(failureSentence(answer.failure, place.host));
          return done(
            answer.value.length === 0
              ? 'No relevant memories found.'
              : answer.value.map((memory, index) => `${index + 1}. ${memory}`).join('\n'),
          );
        }),
    }),
    defineTool({
      name: 'hindsight_reflect',
      description:
        'Asks long-term memory a question that takes thinking over many memories. Slower than hindsight_recall.',
      schema: querySchema('The question.'),
      readOnly: true,
      run: ({ query }, signal) =>
        withServer(connect, async ({ api, place }) => {
          const answer = await api.reflect(query, signal);
          return answer.kind === 'failed' ? failed(failureSentence(answer.failure, place.host)) : done(answer.value);
        }),
    }),
  ];
}

async function withServer(
  connect: Connect,
  use: (connection: HindsightConnection) => Promise<ToolOutput>,
): Promise<ToolOutput> {
  const connection = await connect();
  return connection === null ? failed('Hindsight is not set up. The person can run Set Up Memory….') : use(connection);
}

/** Servers refuse a query of more than 500 tokens, and a long one takes time without finding more. The estimate may
 *  be 20 % off. */
const maxCharacters = 800;
const maxTokens = 380;

/** Returns the beginning of a prompt, short enough for a search. */
export function recallQuery(text: string): string {
  let query = cut(text.trim(), maxCharacters);
  while (estimateTokens(query) > maxTokens) query = cut(query, Math.floor(query.length * 0.8));
  return query;
}

/** Never cuts a surrogate pair. */
function cut(text: string, length: number): string {
  const end = text.charCodeAt(length - 1);
  return text.slice(0, text.length > length && end >= 0xd800 && end < 0xdc00 ? length - 1 : length);
}

/** Milliseconds that recall waits for the latest turn to arrive on the server. */
const drainMs = 10_000;
/** Milliseconds that the model waits for confirmation that its memory has arrived. */
const noteMs = 5_000;
const flushMs = 3_000;
const recallTokens = 4096;

/** Memories recalled in advance for the next prompt. They belong to one session and are used once. */
interface Prepared {
  readonly sessionId: string;
  readonly found: Promise<readonly string[]>;
  readonly stop: AbortController;
  isReady: boolean;
}

/** Remembers with a Hindsight server: https://hindsight.vectorize.io. Buffers nothing: a turn is in the outbox,
 *  under its session, before `syncTurn` resolves. */
export class HindsightProvider implements MemoryProvider {
  readonly name = hindsightName;
  readonly tools: readonly AnyTool[];
  private readonly services: HindsightServices;
  private sessionId = '';
  private parentSessionId: string | null = null;
  private prepared: Prepared | null = null;
  /** Uid of the running turn. Null when none is known here. */
  private begun: string | null = null;
  private status: RecallStatus | null = null;

  /** `retainer`: shared by all providers of a window. `isSetUp`: true when the user has set it up. */
  constructor(
    private readonly retainer: HindsightRetainer,
    private readonly isSetUp: () => boolean,
    private readonly uid: () => string,
  ) {
    this.services = retainer.services;
    this.tools = hindsightTools(this.services.connect, (memory) => this.retain(memory));
  }

  isAvailable(): boolean {
    return this.isSetUp();
  }

  systemPromptBlock(): string {
    return (
      'Long-term memory (Hindsight) is on: completed turns are remembered by themselves, and what fits a prompt is ' +
      'recalled with it. Use hindsight_recall to look for more, hindsight_reflect for questions over many ' +
      'memories, hindsight_retain for what must not be lost.'
    );
  }

  async initialize(sessionId: string, _signal: AbortSignal, { parentSessionId }: SessionStart): Promise<void> {
    if (sessionId === '') return;
    this.sessionId = sessionId;
    this.parentSessionId = parentSessionId;
    this.retainer.begin(sessionId);
  }

  async onTurnStart({ sessionId, turnUid }: StartingTurn): Promise<void> {
    await this.noteEndOf(this.begun);
    await this.noteBegin(turnUid, sessionId);
  }

  async syncTurn(turn: CompletedTurn): Promise<void> {
    await this.retainer.add(turnEntry(turn, this.parentOf(turn.sessionId), this.services.clock.now()));
    await this.noteEndOf(turn.turnUid);
  }

  /** Returns the results of the search that started after the previous turn, once. If that search has not finished
   *  yet, returns the results of a quick one. */
  async prefetch(query: string, sessionId: string, signal: AbortSignal): Promise<string> {
    const { prepared } = this;
    this.prepared = null;
    this.status = null;
    const ready = prepared?.sessionId === sessionId && prepared.isReady ? await prepared.found : null;
    prepared?.stop.abort();
    const memories = ready ?? (await this.recall(query, 'low', signal));
    this.status = { label: 'Hindsight', count: memories.length };
    return memories.map((memory) => `- ${memory}`).join('\n');
  }

  /** Only starts the search: later calls in the queue must not wait for a server. */
  async queuePrefetch(query: string, sessionId: string, signal: AbortSignal): Promise<void> {
    this.forgetPrepared();
    const stop = new AbortController();
    const found = this.recallInBackground(query, sessionId, AbortSignal.any([signal, stop.signal]));
    const prepared: Prepared = { sessionId, found, stop, isReady: false };
    void found.then(() => (prepared.isReady = true));
    this.prepared = prepared;
  }

  recallStatus(): RecallStatus | null {
    return this.status;
  }

  async onSessionEnd(): Promise<void> {
    this.retainer.kick();
  }

  async onSessionSwitch(newSessionId: string, { parentSessionId, reason, rewound }: SessionSwitch): Promise<void> {
    if (!newSessionId) return;
    const { retainer, uid } = this;
    this.forgetPrepared();
    this.status = null;
    if (newSessionId !== this.sessionId) {
      this.parentSessionId = parentSessionId;
      this.sessionId = newSessionId;
      retainer.begin(newSessionId);
      if (reason === 'compression') await this.moveBegun(newSessionId);
    } else if (parentSessionId !== null) this.parentSessionId = parentSessionId;
    if (rewound) await retainer.add(refreshEntry(newSessionId, uid(), this.services.clock.now()));
    retainer.kick();
  }

  onSessionForgotten(sessionIds: readonly string[], signal: AbortSignal): Promise<string | null> {
    if (sessionIds.includes(this.prepared?.sessionId ?? '')) this.forgetPrepared();
    return this.retainer.forget(sessionIds, signal);
  }

  /** Sends as much as possible in a moment. Everything is in the outbox already. */
  async shutdown(signal: AbortSignal): Promise<void> {
    this.forgetPrepared();
    await this.noteEndOf(this.begun);
    if (this.sessionId !== '' && !signal.aborted) await this.retainer.delivered(this.sessionId, flushMs, signal);
  }

  private async retain({ content, context, tags, occurredAt }: ExplicitMemory): Promise<'sent' | 'waiting'> {
    const { retainer, sessionId } = this;
    const { clock, scrub } = this.services;
    const noteUid = this.uid();
    const note = {
      documentId: `${sessionId}-note-${noteUid}`,
      content: scrub(content),
      context: context === null ? conversationContext : scrub(context),
      tags: [sessionTag(sessionId), ...tags.map(scrub)],
      timestamp: occurredAt === null ? null : new Date(occurredAt).toISOString(),
    };
    await retainer.add(noteEntry(sessionId, noteUid, note, clock.now()));
    return (await retainer.delivered(sessionId, noteMs)) ? 'sent' : 'waiting';
  }

  private async recallInBackground(query: string, sessionId: string, signal: AbortSignal): Promise<readonly string[]> {
    await this.retainer.delivered(sessionId, drainMs);
    return signal.aborted ? [] : this.recall(query, 'mid', signal);
  }

  /** Never rejects: a turn continues without recall that failed. */
  private async recall(query: string, budget: 'low' | 'mid', signal: AbortSignal): Promise<readonly string[]> {
    const asked = recallQuery(query);
    if (asked === '') return [];
    try {
      const connection = await this.services.connect();
      if (connection === null) return [];
      const answer = await connection.api.recall({ query: asked, budget, maxTokens: recallTokens }, signal);
      if (answer.kind === 'ok') return answer.value;
      if (answer.failure.cause !== 'stopped')
        this.services.log.warn(
          `Memory provider hindsight: recall: ${failureSentence(answer.failure, connection.place.host)}`,
        );
    } catch (error) {
      this.services.log.warn(`Memory provider hindsight: recall: ${errorMessage(error)}`);
    }
    return [];
  }

  private parentOf(sessionId: string): string | null {
    return sessionId === this.sessionId ? this.parentSessionId : null;
  }

  private forgetPrepared(): void {
    this.prepared?.stop.abort();
    this.prepared = null;
  }

  private async noteBegin(turnUid: string, sessionId: string): Promise<void> {
    this.begun = turnUid;
    await this.retainer.begun(
      begunEntry(sessionId, { turnUid, parentSessionId: this.parentOf(sessionId) }, this.services.clock.now()),
    );
  }

  private async noteEndOf(turnUid: string | null): Promise<void> {
    if (turnUid === null) return;
    await this.retainer.settled(begunEntryUid(turnUid));
    if (this.begun === turnUid) this.begun = null;
  }

  /** Moves the running turn to the new segment after a compression inside the turn, so that it is remembered there. */
  private async moveBegun(sessionId: string): Promise<void> {
    const turnUid = this.begun;
    if (turnUid === null) return;
    await this.noteEndOf(turnUid);
    await this.noteBegin(turnUid, sessionId);
  }
}
