import { t } from '../../../base/translate';
import type { JsonObject } from '../../../transcript/json';
import type { ToolCallPart, ToolResultPart } from '../../../transcript/part';
import type { AgentCallUpdate, AgentUpdate, OwnUpdate } from './agentUpdate';
import { FoldedCall } from './foldedCall';
import type { HostedTurn } from './hostedAgent';

interface StoredCall {
  readonly call: FoldedCall;
  readonly messageUid: string;
  store(call: ToolCallPart, output: Omit<ToolResultPart, 'kind' | 'callId' | 'name'>): Promise<void>;
  isDirty: boolean;
}

/** Folds the news of one turn into rows, through the recorder: each is stored before it is shown, in the order in which
 *  it came. The caller passes on one at a time, and waits for it. */
export class TurnFold {
  /** The agent's id of a call, to its newest call. A provider may use an id again after its call ended. */
  private readonly calls = new Map<string, StoredCall>();
  private readonly all: StoredCall[] = [];
  /** Answer text, in stretches of one message. */
  readonly texts: { readonly messageId: string | null; text: string }[] = [];
  hasThought = false;
  /** Error of the agent's model that it reported beside the answer. */
  failure: string | null = null;
  private plan: { store: StoredCall['store']; part: ToolCallPart } | null = null;

  /** `onCall`: called before a version of a call is stored. It reads the files that the call is about to change, or has
   *  changed. */
  constructor(
    private readonly turn: HostedTurn,
    private readonly onCall: (call: FoldedCall) => Promise<void>,
  ) {}

  get hasAnswered(): boolean {
    return this.texts.some(({ text }) => text.trim() !== '') || this.all.length > 0;
  }

  get answer(): string {
    return this.texts.map(({ text }) => text).join('');
  }

  /** Takes news of the turn. */
  async take(update: AgentUpdate): Promise<void> {
    switch (update.kind) {
      case 'text':
        return this.takeText(update);
      case 'call':
      case 'subAgent':
        await this.takeCall(update.call, update.kind === 'call' && update.isStart);
        return;
      case 'nested':
        return this.takeNested(update.parent, update.update);
      case 'plan':
        return this.takePlan(update.items);
      case 'image':
        return this.note(t('The agent sent an image.'), { images: [update.image] });
      case 'notice':
        return this.note(update.text);
      case 'info':
        this.failure = update.failure ?? this.failure;
        return;
      case 'unknown':
        return this.note(t('The agent sent something that Hermes cannot show: {kind}', { kind: update.name }), {
          details: { raw: update.raw },
        });
      case 'prompt':
      case 'commands':
      case 'mode':
      case 'options':
      case 'usage':
        return;
      default:
        return update satisfies never;
    }
  }

  /** Stores and shows the newest version of every call that has news. */
  async flushCalls(): Promise<void> {
    for (const stored of this.all) if (stored.isDirty) await this.storeVersion(stored);
  }

  /** A call that the agent asks about, stored and shown. Agents may ask before they mention a call. */
  async asked(update: AgentCallUpdate): Promise<StoredCall> {
    // Nobody asks about a call that has ended: this is a new one, under an id that is used again.
    const stored = await this.takeCall(update, true);
    await this.flushCalls();
    return stored;
  }

  async deny(stored: StoredCall, reason: string | null): Promise<void> {
    stored.call.denied = { reason };
    await this.storeVersion(stored);
  }

  /** Ends every call that the agent left open: it may still run. */
  async finish(): Promise<void> {
    for (const stored of this.all)
      if (stored.isDirty || stored.call.owesWords || !stored.call.hasEnded) {
        stored.isDirty = false;
        await stored.store(stored.call.part(), stored.call.result(true));
      }
  }

  /** Adds a line that is no text of the agent. */
  async note(
    text: string,
    more: Pick<ToolResultPart, 'images'> & { readonly details?: JsonObject } = {},
  ): Promise<void> {
    await this.flushCalls();
    await this.turn.recorder.storeRunningCall(this.line('agent_notice', text), { outcome: 'done', text, ...more });
  }

  /** The call that a line of ours is stored as. */
  line(name: 'agent_notice' | 'agent_handoff' | 'agent_input', text: string): ToolCallPart {
    return { kind: 'toolCall', callId: this.turn.ids.uid(), name, arguments: JSON.stringify({ text }) };
  }

  private async takeText({ channel, text, messageId }: AgentUpdate & { readonly kind: 'text' }): Promise<void> {
    if (text === '') return;
    await this.flushCalls();
    const { recorder, run } = this.turn;
    if (channel === 'thinking') this.hasThought = true;
    else await this.countText(text, messageId);
    recorder.deliver(channel, text);
    run.report({ kind: 'answering' });
  }

  /** A message of another id begins a row of its own. Ids may come and go within a turn. */
  private async countText(text: string, messageId: string | null): Promise<void> {
    const { recorder } = this.turn;
    const last = this.texts.at(-1);
    const continues = last !== undefined && last.messageId === messageId && recorder.isAnswering;
    if (last !== undefined && last.messageId !== messageId && recorder.answerSoFar('text') !== '')
      await recorder.storeCalls({ calls: [], finishReason: null, usage: null });
    if (continues) last.text += text;
    else this.texts.push({ messageId, text });
  }

  private async takeCall(update: AgentCallUpdate, isStart: boolean): Promise<StoredCall> {
    const known = this.calls.get(update.id);
    if (known !== undefined && !(isStart && known.call.hasEnded)) {
      known.call.apply(update);
      known.isDirty = true;
      return known;
    }
    await this.flushCalls();
    const { ids, recorder, run, clock, shownPath, cwd } = this.turn;
    const call = new FoldedCall(`acp_${ids.uid()}`, shownPath, cwd);
    call.apply(update);
    await this.onCall(call);
    const stored: StoredCall = {
      call,
      isDirty: false,
      ...(await recorder.storeRunningCall(call.part(), call.result())),
    };
    this.calls.set(update.id, stored);
    this.all.push(stored);
    if (!call.hasEnded) run.report({ kind: 'runningTool', callId: call.callId, startedAt: clock.now() });
    return stored;
  }

  /** News of a sub-agent: its words become part of the call that started it, its calls also rows of their own, so that
   *  its edits are in the review. */
  private async takeNested(parent: string, update: OwnUpdate): Promise<void> {
    const started = async (): Promise<StoredCall> =>
      this.calls.get(parent) ?? this.takeCall({ id: parent, callKind: 'think', status: 'in_progress' }, true);
    switch (update.kind) {
      case 'text': {
        if (update.channel === 'thinking') return;
        const stored = await started();
        if (stored.call.nest(update.text)) stored.isDirty = true;
        return;
      }
      case 'call': {
        const stored = await started();
        const isNew = !this.calls.has(update.call.id);
        if (isNew && stored.call.nestCall(update.call.title ?? update.call.callKind ?? '')) stored.isDirty = true;
        await this.takeCall(update.call, update.isStart);
        return;
      }
      // These belong to the session of the sub-agent: the turn has its own.
      case 'plan':
      case 'info':
        return;
      default:
        return this.take(update);
    }
  }

  private async storeVersion(stored: StoredCall): Promise<void> {
    stored.isDirty = false;
    await this.onCall(stored.call);
    await stored.store(stored.call.part(), stored.call.result());
    if (stored.call.hasEnded) this.turn.run.report({ kind: 'requesting', elapsedMs: 0 });
  }

  /** The agent's plan is shown as our own todo list: one row that is kept up to date. */
  private async takePlan(items: Extract<AgentUpdate, { kind: 'plan' }>['items']): Promise<void> {
    await this.flushCalls();
    const { recorder, ids } = this.turn;
    const callId = this.plan?.part.callId ?? ids.uid();
    const part: ToolCallPart = { kind: 'toolCall', callId, name: 'todo_write', arguments: JSON.stringify({ items }) };
    const result = {
      outcome: 'done' as const,
      text: items.map(({ text, state }) => `${state}: ${text}`).join('\n'),
      details: { kind: 'todos', items: items.map(({ text, state }) => ({ text, state })) },
    };
    if (this.plan === null) this.plan = { part, ...(await recorder.storeRunningCall(part, result)) };
    else await this.plan.store(part, result);
  }
}
