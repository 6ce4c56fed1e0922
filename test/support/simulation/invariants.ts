import type { ModelRequest } from '../../../src/models/chatModel';
import type { SqlDatabase } from '../../../src/store/engine/sqlDatabase';
import { checkOwn } from '../../../src/features/history/core/check/checking';
import { deliveredTexts } from '../../../src/store/session/tables/chunkFolding';
import { isHandoff } from '../../../src/transcript/handoff';
import { sentParts } from '../../../src/transcript/draftPart';
import { answerText, type Message } from '../../../src/transcript/message';
import type { Turn } from '../../../src/transcript/turn';
import type { TurnEvent } from '../../../src/transcript/turnEvent';
import { historyFaults, wireFaults, withoutHandoff } from '../providerRules';
import { RowInvariants } from './rowInvariants';
import type { OpenRequest } from './scriptedModel';
import { sentAlong } from './sentAlong';
import type { SimulatedHost } from './simulatedHost';
import type { ShownMessage, WatchingSurface } from './watchingSurface';
import { findingSentence } from '../../../src/transcript/rules/finding';

/** What must hold of a transcript, whatever happens: I1 an answer that was
 *  shown is one row behind its prompt · I2 the prompt is stored before the model is asked · I3 calls before tools, results before the next
 *  request · I4 every prompt and message once · I5 rows keep their identity and order · I7 a turn is opened whole or not at all, and is said to
 *  be complete only when it is stored so · I8 what is sent is valid and holds every prompt, and nothing but what people and models wrote is
 *  stored · I9 one running turn per conversation · I12 a surface shows the newest segment · I16 order by position · I17 what has to
 *  be allowed runs once, and with a stored allow · I18 a turn waits for one pending question, and a question is pending for one turn · I19 every call of a segment has an id
 *  of its own, and the result that stands behind it is its own, stored and sent · I20 a sub-agent ends before the turn it works for. The rest of I1–I16 is in
 *  `RowInvariants` and `MemoryRecorder`. */
export class Invariants {
  readonly violations: string[] = [];
  /** Everything any surface was ever given, dead ones included. */
  private readonly everShown = new Map<string, ShownMessage>();
  /** Shown since the last check, or not yet found to be stored for good. */
  private readonly toCheck = new Set<string>();
  /** Prompts whose submission was confirmed, by uid, with their text; null once the person removed it from the queue. */
  readonly prompts = new Map<string, string | null>();
  readonly requests: OpenRequest[] = [];
  private readonly order = new Map<string, readonly string[]>();
  private readonly rows = new RowInvariants((what) => this.broken(what));
  /** Calls that had to be allowed, and ran. */
  private readonly ranAsked = new Set<string>();
  private readonly unjudged: (() => void)[] = [];
  private seen: { readonly host: SimulatedHost; readonly changes: unknown } | null = null;

  constructor(private readonly host: () => SimulatedHost) {}

  broken(what: string): void {
    this.violations.push(what);
  }

  confirmed(uid: string, text: string): void {
    if (this.prompts.get(uid) !== null) this.prompts.set(uid, text);
  }

  // ── at the moment it happens ────────────────────────────────────────────────────────────────────────────────────────────────────

  shown(sessionId: string, event: TurnEvent, surface: WatchingSurface): void {
    if (this.host().isReleased) {
      // Nobody has the store open. What the next owner finds tells.
      this.unjudged.push(() => this.shown(sessionId, event, surface));
      return;
    }
    const { db } = this.host();
    switch (event.kind) {
      case 'turnOpened':
        if (db.getMessage(event.userMessage.uid) === null)
          this.broken(`I2: prompt ${event.userMessage.uid} was shown before it was stored`);
        break;
      case 'delivered':
        for (const { messageUid, part, start, text } of event.chunks) {
          const stored = db.getMessage(messageUid)?.parts[part];
          if (stored === undefined || !('text' in stored) || stored.text.slice(start, start + text.length) !== text) {
            this.broken(`I1: "${text}" of ${messageUid} was shown before it was stored`);
          }
          const whole = surface.shown.get(messageUid);
          if (whole !== undefined) this.remember(messageUid, whole);
        }
        break;
      case 'messageStored':
        if (db.getMessage(event.message.uid) === null)
          this.broken(`I3: row ${event.message.uid} was shown before it was stored`);
        if (this.conversationOf(event.message.sessionId) !== this.conversationOf(sessionId))
          this.broken(`row ${event.message.uid} was shown in a conversation that is not its own`);
        break;
      case 'turnSettled': {
        const stored = db.getTurn(event.turn.uid);
        const isSo = stored?.state === 'settled' && stored.outcome === 'complete';
        if (event.turn.state === 'settled' && event.turn.outcome === 'complete' && !isSo)
          this.broken(
            `I7: turn ${event.turn.uid} was shown as complete and is stored as ${stored?.state ?? 'nothing'}`,
          );
        break;
      }
      case 'approvalRequested':
      case 'approvalDecided': {
        const stored = db.approval(event.approval.id)?.state.kind ?? 'nothing';
        const isShownAs = event.approval.state.kind;
        if (stored === 'nothing' || (isShownAs === 'decided' && stored !== 'decided'))
          this.broken(`I17: approval ${event.approval.id} was shown as ${isShownAs} and is stored as ${stored}`);
        break;
      }
      case 'subAgentAsks':
        if (event.approval !== null && db.approval(event.approval.id) === null)
          this.broken(`I17: approval ${event.approval.id} of a sub-agent was shown before it was stored`);
        break;
      case 'activity':
      case 'toolProgress':
      case 'recalled':
        break;
      default:
        event satisfies never;
    }
  }

  /** A request is about to be sent. Returns the turn that sends it; empty for a summary. */
  asked(request: ModelRequest): string {
    const conversation = request.cacheKey;
    const { db } = this.host();
    for (const fault of wireFaults(request.messages)) this.broken(`I8: ${fault}`);
    if (conversation === null) return '';
    const turn = db.openTurnOf(conversation);
    if (turn === null || db.getMessage(turn.userMessageUid) === null)
      this.broken(`I2: a request of ${conversation} without a stored prompt`);
    const history = db.activeMessages(db.conversationTip(conversation));
    const sent = request.messages.flatMap(textsOf).join('\n');
    for (const prompt of promptTexts(history))
      if (!sent.includes(prompt)) this.broken(`I8: the prompt "${prompt}" is not sent`);
    for (const fault of strangeResults(history)) this.broken(`I19: stored: ${fault}`);
    for (const fault of strangeWireResults(request.messages)) this.broken(`I19: sent: ${fault}`);
    const answered = new Set(history.flatMap((row) => (row.role === 'tool' ? [row.parts[0].callId] : [])));
    for (const call of callsOf(history))
      if (!answered.has(call)) this.broken(`I3: asked again before call ${call} had a stored result`);
    if (
      this.requests.some(
        (open) =>
          open.isOpen &&
          open.turnUid !== turn?.uid &&
          open.request.cacheKey === conversation &&
          open.run === this.host().run,
      )
    ) {
      this.broken(`I9: two turns of ${conversation} ask at once`);
    }
    return turn?.uid ?? '';
  }

  /** A session was compressed, and nothing has happened to its segments since. */
  published(database: SqlDatabase): void {
    this.rows.checkEnds(database);
  }

  /** A tool is about to run. */
  runs(marker: string, asks: boolean): void {
    const { database, db } = this.host();
    const quoted = JSON.stringify(JSON.stringify(marker)).slice(1, -1);
    const row = database.get(
      "SELECT uid, state FROM messages WHERE role = 'assistant' AND carried_from IS NULL AND instr(parts, ?) > 0",
      [quoted],
    );
    if (row?.['state'] !== 'final') this.broken(`I3: the tool with ${marker} ran before its call was stored`);
    if (!asks) return;
    const parts = db.getMessage(String(row?.['uid']))?.parts ?? [];
    const callId = parts.find((part) => part.kind === 'toolCall' && markerOf(part.arguments) === marker);
    const allowed = database.get(
      // What is allowed for a session holds for its sub-agents too, and the other way round.
      `WITH RECURSIVE own (id) AS (SELECT o.conversation_id FROM messages m JOIN sessions o ON o.id = m.session_id WHERE m.uid = ?2), together (id) AS (
         SELECT id FROM own
         UNION SELECT p.conversation_id FROM together t JOIN sessions c ON c.conversation_id = t.id AND c.parent_kind = 'delegate' JOIN sessions p ON p.id = c.parent_session_id
         UNION SELECT c.conversation_id FROM together t JOIN sessions p ON p.conversation_id = t.id JOIN sessions c ON c.parent_session_id = p.id AND c.parent_kind = 'delegate')
       SELECT 1 AS n FROM approvals a JOIN sessions s ON s.id = a.session_id WHERE a.state = 'decided' AND json_extract(a.decision, '$.kind') = 'allow'
         AND ((a.call_id = ?1 AND a.message_uid = ?2) OR (json_extract(a.decision, '$.scope') = 'session' AND s.conversation_id IN (SELECT id FROM together)))`,
      [callId?.kind === 'toolCall' ? callId.callId : '', String(row?.['uid'])],
    );
    if (allowed === undefined) this.broken(`I17: the tool with ${marker} ran without a stored allow`);
    if (this.ranAsked.has(marker)) this.broken(`I17: the tool with ${marker} ran twice`);
    this.ranAsked.add(marker);
  }

  // ── after every step ────────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** `isQuiet`: no call of the store is under way, so that what was written is known to those who wrote it. */
  check(surfaces: readonly WatchingSurface[], isQuiet: boolean): void {
    for (const judge of this.unjudged.splice(0)) judge();
    if (isQuiet) this.checkSurfaces(surfaces);
    const host = this.host();
    const { changes } = host;
    // What nobody has written to is as it was.
    if (this.toCheck.size === 0 && this.seen?.host === host && this.seen.changes === changes) return;
    this.seen = { host, changes };
    this.checkAll(host);
  }

  private checkAll({ db, database }: SimulatedHost): void {
    const orphans =
      database.all(`SELECT t.uid FROM turns t JOIN sessions s ON s.id = t.session_id JOIN sessions d ON d.id = s.conversation_id
      WHERE t.state <> 'settled' AND d.parent_kind = 'delegate' AND NOT EXISTS (SELECT 1 FROM turns c JOIN sessions o ON o.id = c.session_id
        WHERE c.state <> 'settled' AND o.conversation_id = (SELECT p.conversation_id FROM sessions p WHERE p.id = d.parent_session_id))`);
    if (orphans.length > 0)
      this.broken(`I20: sub-agent's turn ${String(orphans[0]?.['uid'])} outlives the turn it works for`);
    const running = database.all(
      "SELECT conversation_id, COUNT(*) AS n FROM turns WHERE state <> 'settled' GROUP BY conversation_id HAVING n > 1",
    );
    if (running.length > 0) this.broken('I9: a conversation has two running turns');
    const waits = database.get(
      "SELECT count(*) AS n FROM turns t WHERE state = 'waiting' AND (SELECT count(*) FROM approvals a WHERE a.turn_uid = t.uid AND a.state = 'pending' AND a.id = t.approval_id) <> 1",
    )?.['n'];
    const pending = database.get(
      "SELECT count(*) AS n FROM approvals a WHERE state = 'pending' AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.uid = a.turn_uid AND t.state = 'waiting' AND t.approval_id = a.id)",
    )?.['n'];
    if (waits !== 0 || pending !== 0)
      this.broken(`I18: ${String(waits)} turns wait for nothing, ${String(pending)} approvals are pending for nobody`);
    this.rows.check(database);
    const conversations = database
      .all('SELECT id FROM sessions WHERE id = conversation_id')
      .map((row) => String(row['id']));
    const everything = conversations.flatMap((conversationId) => this.checkConversation(conversationId));
    this.checkPrompts(
      everything,
      database.all('SELECT uid FROM queue').map((row) => String(row['uid'])),
    );
    const rows = new Map(everything.map((row) => [row.uid, row]));
    for (const [uid, { sessionId, parts }] of this.everShown) {
      const row = rows.get(uid) ?? db.getMessage(uid);
      if (row === null) this.broken(`I1: message ${uid} was shown and is not stored`);
      else this.checkShown(row, sessionId, parts);
    }
    this.toCheck.clear();
  }

  /** When nothing runs any more. */
  async checkWhenIdle(): Promise<void> {
    const { db, database, store } = this.host();
    for (const found of await store.verifyIntegrity()) this.broken(`damage: ${findingSentence(found)}`);
    if (database.all("SELECT uid FROM turns WHERE state <> 'settled'").length > 0) this.broken('a turn never settled');
    for (const { id } of database.all('SELECT id FROM sessions')) {
      if (db.conversationTip(String(id)) !== String(id)) continue;
      for (const fault of historyFaults(withoutHandoff(db.activeMessages(String(id)))))
        this.broken(`I8: stored history: ${fault}`);
    }
    if (database.all('SELECT uid FROM queue').length > 0) this.broken('a queued prompt was never answered');
    if (this.host().performsElsewhere) return;
    const { findings } = await checkOwn(database, '/store');
    // People here repeat their words, and their clock may stand still meanwhile.
    for (const finding of findings)
      if (finding.id !== 'doubledRow') this.broken(`a check complains: ${JSON.stringify(finding)}`);
  }

  private checkSurfaces(surfaces: readonly WatchingSurface[]): void {
    const { gateway, db } = this.host();
    for (const { id } of surfaces) {
      const shown = gateway.surfaces.shownSession(id);
      if (shown !== null && db.conversationTip(shown) !== shown)
        this.broken(`I12: surface ${id} shows ${shown}, its conversation goes on in ${db.conversationTip(shown)}`);
    }
  }

  /** The rows of a conversation, each once, over all its segments. */
  private checkConversation(sessionId: string): readonly Message[] {
    const { messages, turns } = this.host().db.readTranscript({ sessionId, limit: 10_000, includeHidden: true });
    const uids = messages.map((message) => message.uid);
    if (new Set(uids).size !== uids.length) this.broken(`I4: session ${sessionId} holds a message twice`);
    const known = new Set(uids);
    const before = (this.order.get(sessionId) ?? []).filter((uid) => known.has(uid));
    const kept = new Set(before);
    if (uids.filter((uid) => kept.has(uid)).join() !== before.join())
      this.broken(`I5, I16: rows of ${sessionId} changed their order`);
    this.order.set(sessionId, uids);
    for (const turn of turns) this.checkTurn(turn, messages);
    return messages;
  }

  private checkTurn(turn: Turn, messages: readonly Message[]): void {
    const own = messages.filter((message) => message.turnUid === turn.uid);
    if (own[0]?.uid !== turn.userMessageUid) this.broken(`I1, I7: turn ${turn.uid} does not begin with its prompt`);
    const stored = own.flatMap((row) =>
      row.role === 'assistant' && row.uid !== `${turn.uid}/closing` ? deliveredTexts(row.parts) : [],
    );
    const requests = this.requests.filter((request) => request.turnUid === turn.uid);
    for (const kind of ['text', 'thinking'] as const) {
      const found = wordsOf(
        stored
          .filter((part) => part.kind === kind)
          .map((part) => part.text)
          .join(' '),
      );
      const emitted = requests.flatMap((request) =>
        request.emitted.filter((piece) => piece.kind === kind).flatMap((piece) => wordsOf(piece.text)),
      );
      if (!isSubsequence(found, emitted))
        this.broken(
          `I1, I8: turn ${turn.uid} stores ${kind} "${found.join(' ')}", the model sent "${emitted.join(' ')}"`,
        );
      const owed = requests
        .filter((request) => !request.brokeInCall)
        .flatMap((request) =>
          request.emitted.filter((piece) => piece.kind === kind).flatMap((piece) => wordsOf(piece.text)),
        );
      const isWhole =
        turn.state === 'settled' &&
        (turn.outcome === 'complete' || turn.stopReason === 'connectionLost' || turn.stopReason === 'empty');
      if (isWhole && !isSubsequence(owed, found))
        this.broken(
          `I1: turn ${turn.uid} lost ${kind}: the model sent "${owed.join(' ')}", stored is "${found.join(' ')}"`,
        );
    }
  }

  private checkPrompts(rows: readonly Message[], queued: readonly string[]): void {
    const counts = new Map<string, number>();
    for (const uid of [...rows.filter((row) => row.role === 'user').map((row) => row.uid), ...queued])
      counts.set(uid, (counts.get(uid) ?? 0) + 1);
    for (const [uid, text] of this.prompts) {
      if (text !== null && counts.get(uid) !== 1)
        this.broken(`I4: prompt ${uid} "${text}" is stored ${counts.get(uid) ?? 0} times`);
    }
    const written = new Set([...this.prompts.values()].filter((text) => text !== null));
    for (const row of rows) {
      if (row.role !== 'user' || isHandoff(row)) continue;
      const text = answerText(row.parts);
      // A prompt whose confirmation was lost with its window is stored under the uid it was sent with; its text is a person's all the same. A
      // turn that was steered is asked again with everything the person had told it.
      if (!written.has(text) && !text.split('\n\n').every((each) => /^(prompt \d+|again|task of call-\d+)$/.test(each)))
        this.broken(`I8: "${text}" is stored as a prompt and nobody wrote it`);
      if (JSON.stringify(sentParts(row.parts)) !== JSON.stringify(sentAlong(text)))
        this.broken(`I4: what went along with "${text}" is stored as ${JSON.stringify(sentParts(row.parts))}`);
    }
  }

  private checkShown(row: Message, sessionId: string, parts: ShownMessage['parts']): void {
    if (row.sessionId !== sessionId && this.conversationOf(row.sessionId) !== this.conversationOf(sessionId))
      this.broken(`message ${row.uid} was shown in ${sessionId} and is stored in ${row.sessionId}`);
    for (const [index, part] of parts.entries()) {
      const stored = row.parts[index];
      if (part === undefined) continue;
      const text = stored !== undefined && 'text' in stored && stored.kind === part.kind ? stored.text : '';
      if (!covers(text, part.text))
        this.broken(`I1: of message ${row.uid} "${part.text}" was shown and "${text}" is stored`);
    }
  }

  private conversationOf(sessionId: string): string | null {
    return this.host().db.getSession(sessionId)?.conversationId ?? null;
  }

  private remember(uid: string, shown: ShownMessage): void {
    const before = this.everShown.get(uid);
    const isMore = before === undefined || lengthOf(shown) >= lengthOf(before);
    this.toCheck.add(uid);
    if (isMore)
      this.everShown.set(uid, { sessionId: shown.sessionId, parts: shown.parts.map((part) => ({ ...part })) });
  }
}

/** Calls of one segment that share an id, and results of other calls than the one they stand behind. */
function strangeResults(history: readonly Message[]): readonly string[] {
  const calls = history.flatMap((row) => row.parts.flatMap((part) => (part.kind === 'toolCall' ? [part] : [])));
  const twice = calls
    .filter(({ callId }, index) => calls.findIndex((other) => other.callId === callId) !== index)
    .map(({ callId }) => `two calls are called ${callId}`);
  const results = history.flatMap((row) => (row.role === 'tool' ? [row.parts[0]] : []));
  return [
    ...twice,
    ...results.flatMap(({ callId, text }) => strange(calls.find((call) => call.callId === callId)?.arguments, text)),
  ];
}

function strangeWireResults(messages: ModelRequest['messages']): readonly string[] {
  return messages.flatMap((message, index) => {
    const asking = messages[index - 1];
    if (message.role !== 'tool' || asking?.role !== 'assistant') return [];
    return message.results.flatMap(({ callId, text }) => {
      const call = asking.content.find((part) => part.kind === 'toolCall' && part.callId === callId);
      return strange(call?.kind === 'toolCall' ? JSON.stringify(call.arguments) : undefined, text);
    });
  });
}

function strange(called: string | undefined, result: string): readonly string[] {
  const of = /^result of (call-\d+)/.exec(result)?.[1];
  return of === undefined || (called !== undefined && markerOf(called) === of)
    ? []
    : [`"${result}" stands behind ${called ?? 'no call'}`];
}

function markerOf(json: string): string | null {
  return /"marker":"(call-\d+)"/.exec(json)?.[1] ?? null;
}

/** Whether a stored text holds what was shown of it; a surface that came late has gaps, marked with NUL. */
function covers(stored: string, shown: string): boolean {
  if (stored.startsWith(shown)) return true;
  return stored.length >= shown.length && [...shown].every((_, at) => shown[at] === '\0' || shown[at] === stored[at]);
}

function lengthOf({ parts }: ShownMessage): number {
  return parts.reduce((sum, part) => sum + (part?.text.length ?? 0), 0);
}

/** Prompts stand in user messages, steering at the end of results. */
function textsOf(message: ModelRequest['messages'][number]): readonly string[] {
  if (message.role === 'tool') return message.results.map(({ text }) => text);
  return message.role === 'user' ? message.content.map((part) => (part.kind === 'text' ? part.text : '')) : [];
}

function promptTexts(history: readonly Message[]): readonly string[] {
  return history.flatMap((row) =>
    row.role === 'user'
      ? [answerText(row.parts), ...row.parts.flatMap((part) => (part.kind === 'attachment' ? [part.text] : []))]
      : [],
  );
}

function callsOf(history: readonly Message[]): readonly string[] {
  return history.flatMap((row) => row.parts.flatMap((part) => (part.kind === 'toolCall' ? [part.callId] : [])));
}

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function isSubsequence(of: readonly string[], whole: readonly string[]): boolean {
  let next = 0;
  for (const word of whole) if (word === of[next]) next++;
  return next === of.length;
}
