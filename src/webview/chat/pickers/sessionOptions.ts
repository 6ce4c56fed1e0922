import { signal } from '@preact/signals';
import type { ChatNotifications } from '../../../protocol/chatProtocol';
import type { AgentHandoff } from '../../../transcript/contextFiles';
import { withInsertion } from '../drafts/composerText';
import { Drafts } from '../drafts/drafts';
import { PromptSender } from '../drafts/promptSender';
import type { Chat } from '../state/chat';
import type { ReasoningEffort } from '../../../transcript/session';

type Agents = ChatNotifications['agents'];

/** Custom agents of the window, and the one of the shown session. The host sends them after a render if there are
 *  any. */
export class AgentController {
  /** True while a handoff is chosen: a second press starts nothing. */
  private isFollowing = false;
  private readonly known = signal<Agents>({ sessionId: null, chosen: null, offered: [] });

  constructor(private readonly chat: Chat) {}

  notified(notification: Agents): void {
    this.known.value = notification;
  }

  /** `chosen` is null, the usual agent, until the host sends another one for this session. */
  of(sessionId: string | null): Pick<Agents, 'chosen' | 'offered'> {
    const { sessionId: of, chosen, offered } = this.known.value;
    return { chosen: of === sessionId ? chosen : null, offered };
  }

  /** Called when another session, or another segment of it, is shown; `isSame`: the conversation is the one shown
   *  before. */
  sessionShown(sessionId: string | null, isSame: boolean): void {
    const { chosen, offered } = this.known.peek();
    this.known.value = { sessionId, chosen: isSame ? chosen : null, offered };
  }

  /** Applies from the next turn. Null: the usual agent. Resolves to true once it is stored. */
  async choose(agent: string | null): Promise<boolean> {
    const { chat } = this;
    return chat.ask(() => chat.host.request('setAgent', { sessionId: chat.sessionId, agent }));
  }

  /** Hands over to the agent that the handoff names, with its prompt. A prompt is never sent together with something
   *  that the user was writing. */
  async follow({ agent, prompt, send }: AgentHandoff): Promise<void> {
    const { chat } = this;
    const { sessionId } = chat;
    if (this.isFollowing) return;
    this.isFollowing = true;
    const isChosen = await this.choose(agent);
    this.isFollowing = false;
    if (!isChosen || chat.sessionId !== sessionId) return;
    const drafts = chat.part(Drafts);
    const text = drafts.text.peek();
    const isEmpty = text.trim() === '' && drafts.parts.peek().length === 0;
    if (prompt !== '') drafts.edit(withInsertion(text, prompt));
    if (send && isEmpty && prompt !== '') await chat.part(PromptSender).submit(prompt, prompt, undefined);
    else chat.focusComposer();
  }
}

type EffortNotification = ChatNotifications['effort'];

/** Reasoning effort for the shown session. The host sends it after a render if it differs from the default. */
export class EffortController {
  private readonly known = signal<EffortNotification>({ sessionId: null, effort: 'default' });

  constructor(private readonly chat: Chat) {}

  notified(notification: EffortNotification): void {
    this.known.value = notification;
  }

  /** Returns the default until the host sends another effort; ignores the effort of another session. */
  of(sessionId: string | null): ReasoningEffort {
    const { sessionId: of, effort } = this.known.value;
    return of === sessionId ? effort : 'default';
  }

  /** Called when another session, or another segment of it, is shown; `isSame`: the conversation is the one shown
   *  before. */
  sessionShown(sessionId: string | null, isSame: boolean): void {
    const { effort } = this.known.peek();
    this.known.value = { sessionId, effort: isSame ? effort : 'default' };
  }

  /** Applies from the next request to the model. The picker shows the effort once the host has it. */
  async set(effort: ReasoningEffort): Promise<void> {
    const { chat } = this;
    await chat.ask(() => chat.host.request('setEffort', { sessionId: chat.sessionId, effort }));
  }
}
