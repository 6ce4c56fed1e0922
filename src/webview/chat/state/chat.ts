import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Turn } from '../../../transcript/turn';
import { codeActionsOf } from '../../markdown/markdownActions';
import type { MarkdownActions } from '../../markdown/Markdown';
import type { Timers } from '../../times';
import { type ChatHost, type ChatSurroundings, HostRequests } from '../connection/chatHost';
import { initialState, reduce, type ChatEvent, type ChatViewState } from './chatState';
import { openTurn, type Conversation } from './conversation';
import type { ChatNotifications } from '../../../protocol/chatProtocol';
import type { LiveMessage } from './liveMessage';
import type { Part } from '../../../transcript/part';

/** One chat view: its host, its state, and its parts. Components read signals and call parts. */
export class Chat {
  readonly host: ChatHost;
  readonly timers: Timers;
  readonly newUid: () => string;
  readonly memory: ChatSurroundings['memory'];
  /** Runs requests of the user and shows why one was refused. */
  readonly requests = new HostRequests();
  readonly ui = new UiRequests();
  readonly markdown: MarkdownActions;
  private readonly parts = new Map<unknown, unknown>();
  private readonly current = signal<ChatViewState>(initialState);
  readonly state: ReadonlySignal<ChatViewState> = this.current;

  constructor({ host, timers, newUid, memory }: ChatSurroundings) {
    this.host = host;
    this.timers = timers;
    this.newUid = newUid;
    this.memory = memory;
    this.markdown = {
      openLink: (href) => host.send('openLink', { href }),
      copy: (text) => this.copy(text),
      ...codeActionsOf(host),
    };
  }

  /** The state, which changes only when anything other than streaming text does. */
  readonly steady: ReadonlySignal<ChatViewState> = stateWithoutStreaming(this.current);

  readonly running: ReadonlySignal<Turn | null> = computed(() => {
    const { conversation } = this.steady.value;
    return conversation === null ? null : openTurn(conversation);
  });

  /** True while a turn runs or the session is being summarized: prompts sent now are queued. */
  readonly isBusy: ReadonlySignal<boolean> = computed(
    () => this.running.value !== null || this.steady.value.conversation?.activity?.turnUid === null,
  );

  /** The shown session with its newest messages. */
  get conversation(): Conversation | null {
    return this.current.peek().conversation;
  }

  /** Id of the shown session. */
  get sessionId(): string | null {
    return this.conversation?.session.id ?? null;
  }

  /** Returns the part of this class. The first use builds it. */
  part<T>(Part: new (chat: Chat) => T): T {
    const known = this.parts.get(Part);
    if (known instanceof Part) return known;
    const part = new Part(this);
    this.parts.set(Part, part);
    return part;
  }

  /** Every change of the state is an event given to it. */
  dispatch(event: ChatEvent): void {
    this.current.value = reduce(this.current.peek(), event, this.timers.nowMs());
  }

  /** Runs a request of the user. Resolves to true when it was accepted; otherwise the reason appears above the
   *  composer. */
  ask(request: () => Promise<unknown>): Promise<boolean> {
    return this.requests.ask(request);
  }

  async stop(): Promise<void> {
    const { sessionId } = this;
    const running = this.running.peek();
    if (sessionId === null || !this.isBusy.peek()) return;
    await this.ask(() =>
      this.host.request('stop', running === null ? { sessionId } : { sessionId, turnUid: running.uid }),
    );
  }

  copy(text: string): void {
    this.host.send('copy', { text });
  }

  runAction(action: string): void {
    this.host.send('runAction', { action });
  }

  focusComposer(): void {
    this.ui.composerFocus.value++;
  }
}

export const ChatContext = createContext<Chat | null>(null);

/** Returns the chat that contains this component. */
export function useChat(): Chat {
  const chat = useContext(ChatContext);
  if (chat === null) throw new Error('A chat component is rendered outside of the chat view.');
  return chat;
}

/** Returns a part of the chat that contains this component. */
export function usePart<T>(Part: new (chat: Chat) => T): T {
  return useChat().part(Part);
}

/** Requests to the components: to move the focus or the scroll position, to open or to announce something. */
class UiRequests {
  readonly pickerOpen = signal(false);
  /** Counts requests to focus the composer. */
  readonly composerFocus = signal(0);
  /** Counts requests to return to the newest text, as when a prompt is sent. */
  readonly jumpToEnd = signal(0);
  /** Message to scroll into view as soon as it is rendered. Default: none. */
  readonly revealed = signal<ChatNotifications['reveal'] | null>(null);
  /** True when the find bar was requested and must open as soon as it is loaded. */
  readonly findAsked = signal(false);
  /** Text of the polite live region: what can wait for the end of a sentence. */
  readonly announced = signal('');
  /** Text of the urgent live region: the agent's requests, and failures. */
  readonly warned = signal('');

  chooseModel(): void {
    this.pickerOpen.value = true;
  }

  announce(text: string): void {
    this.announced.value = text;
  }
}

/** The state, which changes only when anything other than streaming text does; in between, its message text is older
 *  than in `state`. Components that use it do not re-render with every piece of an answer; the text itself comes
 *  from `state` (turn/liveText.tsx). */
function stateWithoutStreaming(state: ReadonlySignal<ChatViewState>): ReadonlySignal<ChatViewState> {
  let kept = state.peek();
  return computed(() => (kept = isOnlyText(kept, state.value) ? kept : state.value));
}

function isOnlyText(before: ChatViewState, after: ChatViewState): boolean {
  const { conversation: shown, ...around } = before;
  const { conversation, ...other } = after;
  if (before === after) return true;
  if (shown === null || conversation === null || !sameBut(around, other)) return false;
  return sameTexts(shown, conversation);
}

function sameTexts(
  { messages: before, ...session }: Conversation,
  { messages: after, ...other }: Conversation,
): boolean {
  return (
    sameBut(session, other) &&
    before.length === after.length &&
    before.every((live, index) => live === after[index] || sameRow(live, after[index]))
  );
}

function sameRow(
  { parts: before, lastSeq: _, ahead: __, ...row }: LiveMessage,
  after: LiveMessage | undefined,
): boolean {
  if (after === undefined) return false;
  const { parts, lastSeq: ___, ahead: ____, ...other } = after;
  return (
    sameBut(row, other) &&
    before.length === parts.length &&
    before.every((part, index) => part === parts[index] || sameKind(part, parts[index]))
  );
}

// A part without text is not rendered.
function sameKind(before: Part, after: Part | undefined): boolean {
  return (
    (before.kind === 'text' || before.kind === 'thinking') &&
    before.kind === after?.kind &&
    before.text !== '' &&
    after.text !== ''
  );
}

function sameBut<T extends object>(before: T, after: T): boolean {
  const known = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after).every(([name, value]) => Object.is(known.get(name), value));
}
