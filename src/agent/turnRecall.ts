import { errorMessage } from '../base/errorMessage';
import { withRecall } from '../memory/recallText';
import { isContinuation } from '../transcript/continuation';
import { promptText } from '../transcript/draftPart';
import { answerText, type Message, type UserMessage } from '../transcript/message';
import { isSteering } from '../transcript/steering';
import type { Recalled } from '../transcript/turn';
import type { WireMessage } from '../transcript/wireMessage';
import { projectToWire } from '../transcript/wireProjection';
import type { AgentDeps } from './agent';
import type { LiveRun } from './liveRun';

/** Memory's additions to the requests of one turn: a part of the system prompt, and recalled text after the prompt.
 *  Also puts a prompt file's text in place of its name. All of it exists only on the wire. The prompt's wire text,
 *  including the note before it, is stored before it is sent for the first time. Every request is built from that
 *  stored text, so the next turn's requests begin with the same bytes (hermes-agent#102194). */
export class TurnRecall {
  /** Memory's part of the system prompt. Empty for none. */
  systemBlock = '';
  /** True when the note is already part of the prompt's wire text. */
  hasNote = false;
  private noteBefore: string | null = null;
  private found: readonly Recalled[] = [];
  /** The wire texts of prompts, as last read. */
  private texts: ReadonlyMap<string, string> = new Map();

  constructor(
    private readonly run: LiveRun,
    private readonly deps: AgentDeps,
    private readonly expandPrompt: (text: string) => string,
  ) {}

  /** Queries memory, once, before the turn's first request. `note`: the text before the prompt. Null for none.
   *  `told`: what surfaces show of it. Default: nothing. */
  async prepare(rows: readonly Message[], note: string | null, told?: Recalled): Promise<void> {
    const prompt = promptOf(rows);
    if (prompt === null) return;
    const written = answerText(prompt.parts);
    const recall = await this.recall(isContinuation(prompt) ? askedIn(rows) : promptText(prompt.parts));
    if (told !== undefined) this.found = [told, ...this.found];
    const text = this.expandPrompt(written);
    if (this.run.controller.signal.aborted || (note === null && recall === '' && text === written)) return;
    const noted = [...(note === null ? [] : [note]), ...(text === '' ? [] : [text])].join('\n\n');
    const isKept = await this.keep(prompt, recall === '' ? noted : withRecall(noted, recall));
    this.hasNote = isKept && note !== null;
    if (isKept && this.found.length > 0)
      this.run.show({ kind: 'recalled', turnUid: this.run.turn.uid, found: this.found });
  }

  /** Continues a turn whose earlier run already sent the prompt. If recall and note could be stored then, they are
   *  in its wire text. */
  resume(note: string | null): void {
    this.systemBlock = this.deps.memory?.systemBlock ?? '';
    this.noteBefore = note;
  }

  /** Waits at most as long as memory may take, and stops when the user skips it. */
  private async recall(text: string): Promise<string> {
    const { run, deps: parts } = this;
    const { memory, clock } = parts;
    if (memory === undefined) return '';
    const { turn, controller } = run;
    memory.turnStarting({ turnUid: turn.uid, prompt: text, model: turn.model });
    const startedAt = clock.now();
    let isReported = false;
    const onSlow = (): void => {
      isReported = true;
      run.report({ kind: 'recalling', startedAt });
    };
    const found = await memory.prepareTurn({ prompt: text, signal: controller.signal, skip: run.skipRecall, onSlow });
    if (isReported) run.report({ kind: 'requesting', elapsedMs: 0 });
    this.systemBlock = found.systemBlock;
    this.found = found.found;
    return found.recall;
  }

  /** Returns the wire copy of these rows, all of one session. */
  async project(rows: readonly Message[]): Promise<readonly WireMessage[]> {
    const { turn } = this.run;
    try {
      const stored = await this.deps.store.apiContents(rows[0]?.sessionId ?? turn.sessionId);
      this.texts = new Map(stored.map(({ messageUid, text }) => [messageUid, text]));
      const { noteBefore } = this;
      if (noteBefore !== null) this.hasNote = (this.texts.get(promptOf(rows)?.uid ?? '') ?? '').startsWith(noteBefore);
    } catch (error) {
      // Only caches depend on it. If the store fails, the turn's writes detect and report it.
      this.deps.log.warn(`The wire texts of turn ${turn.uid} could not be read: ${errorMessage(error)}`);
    }
    return projectToWire(rows, turn.model, this.texts);
  }

  /** Recall that cannot be stored is not sent either: the next request would not begin with the same bytes. */
  private async keep(prompt: UserMessage, text: string): Promise<boolean> {
    try {
      await this.deps.store.setApiContent(prompt.uid, text, { turnUid: this.run.turn.uid, found: this.found });
      return true;
    } catch (error) {
      this.deps.log.warn(
        `The wire text of turn ${this.run.turn.uid}, with what memory recalled, could not be saved and is not ` +
          `sent: ${errorMessage(error)}`,
      );
      return false;
    }
  }
}

/** Returns the newest prompt: the turn's own, or the earlier one that a repair merged it into. */
function promptOf(rows: readonly Message[]): UserMessage | null {
  const prompt = rows.findLast(
    (row, index) => row.role === 'user' && row.visibility.kind === 'shown' && !isSteering(rows, index),
  );
  return prompt?.role === 'user' ? prompt : null;
}

/** Returns the prompt of the answer that is being continued. Empty when only a summary still mentions it. */
function askedIn(rows: readonly Message[]): string {
  return answerText(promptOf(rows.filter((row) => !isContinuation(row)))?.parts ?? []);
}
