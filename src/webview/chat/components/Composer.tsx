import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { OfferedPrompt } from '../../../protocol/chatProtocol';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import type { ChatController } from '../chatController';
import { composerKey } from '../composerText';
import { newestTodos } from '../todos';
import { completed, type Offered, offeredCommands } from '../slashCommands';
import { useChat } from './ChatContext';
import { AttachButton } from './AttachButton';
import { ContextMeter } from './ContextMeter';
import { CommandList, commandListId, commandOptionId } from './CommandList';
import { laterParts } from './laterParts';
import { mentionListId, mentionOptionId, useMentions } from './mentions';
import { ModePicker } from './ModePicker';

/** Where a person writes. What is typed leaves it only once it is on disk. */
export function Composer() {
  const chat = useChat();
  const field = useRef<HTMLTextAreaElement>(null);
  const text = chat.drafts.text.value;
  const running = chat.isBusy.value;
  const submitting = chat.submitting.value;
  const offer = chat.context.offer.value;
  const rewind = chat.switches.rewindOffer.value;
  const again = chat.askAgain.offer.value;
  const choices = chat.switches.choices.value;
  const { conversation } = chat.state.value;
  const approval = conversation?.approval ?? null;
  const todos = useMemo(() => (conversation === null ? null : newestTodos(conversation)), [conversation?.messages, conversation?.turns]);
  const later = laterParts.value;
  useComposerFocus(field.current, chat.composerFocus.value);

  const commands = useCommands(chat.drafts.text, chat.promptFiles.value, (next) => chat.drafts.edit(next));

  const mentions = useMentions(field);
  const parts = chat.attachments.parts.value;
  const isEmpty = text.trim() === '' && parts.length === 0;
  const pasteAsText = (): void => {
    const caret = chat.attachments.pasteAsText();
    if (caret === null || field.current === null) return;
    field.current.value = chat.drafts.text.peek();
    field.current.focus();
    field.current.setSelectionRange(caret, caret);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (commands.onKeyDown(event) || mentions.onKeyDown(event)) return;
    if (event.defaultPrevented) return;
    if (takesAttachmentBack(event, chat, pasteAsText)) return event.preventDefault();
    switch (composerKey(event, text)) {
      case 'submit':
        event.preventDefault();
        void chat.submit();
        break;
      case 'recall':
        event.preventDefault();
        chat.recallPrompt();
        break;
      case 'escape':
        if (chat.problem.peek() === null) break;
        event.preventDefault();
        chat.dismissProblem();
        break;
      case 'none':
        break;
    }
  };

  return (
    <div class="composer-area">
      {later !== null && todos !== null && <later.TodoPanel list={todos} />}
      <ProblemLine />
      {later !== null && approval !== null && <later.ApprovalCard approval={approval} key={approval.id} />}
      {later !== null && offer !== null && <later.CompressionCard offer={offer} key={offer.sessionId} />}
      {later !== null && again !== null && <later.AskAgainCard offer={again} key={again.turnUid} />}
      {later !== null && rewind !== null && <later.RewindCard offer={rewind} key={rewind.promptUid} />}
      {later !== null && choices !== null && <later.SessionChoiceList choices={choices} />}
      {later !== null && <later.DropTarget />}
      {later !== null && mentions.offered !== null && <later.MentionList mentions={mentions.offered} active={mentions.active} pick={mentions.pick} />}
      {commands.active !== null && <CommandList commands={commands.offered} active={commands.active} pick={commands.pick} />}
      <div class="composer" onClick={(event) => event.target === event.currentTarget && field.current?.focus()}>
        {later !== null && parts.length > 0 && <later.AttachmentStrip pasteAsText={pasteAsText} />}
        <textarea
          ref={field}
          class="composer-field"
          aria-label={t('Message')}
          aria-busy={submitting}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={commands.active !== null ? commandListId : mentions.offered !== null ? mentionListId : undefined}
          aria-activedescendant={commands.active !== null ? commandOptionId(commands.active) : mentions.active !== null ? mentionOptionId(mentions.active) : undefined}
          dir="auto"
          rows={1}
          placeholder={running ? t('Ask more, @ to mention, / for commands') : t('Ask, @ to mention, / for commands')}
          value={text}
          onInput={(event) => {
            commands.typed(event.currentTarget.value);
            chat.drafts.edit(event.currentTarget.value);
            mentions.moved(true);
          }}
          onKeyDown={onKeyDown}
          onKeyUp={() => mentions.moved(false)}
          onClick={() => mentions.moved(false)}
          onPaste={(event) => later?.takePasted(chat, event, event.currentTarget.selectionStart)}
          onFocus={() => chat.needs.memory.remember({ composerFocused: true })}
          onBlur={() => {
            commands.close();
            mentions.close();
            chat.needs.memory.remember({ composerFocused: false });
            chat.leave();
          }}
        />
        <div class="composer-bar">
          <AttachButton />
          <ModePicker />
          <span class="composer-hint">{t('Enter to send, Shift+Enter for a new line')}</span>
          <span class="composer-buttons">
            <ContextMeter />
            {running && <StopButton stop={() => void chat.stop()} />}
            <SendButton queues={running} disabled={submitting || isEmpty} send={() => void chat.submit(running ? 'queue' : undefined)} />
          </span>
        </div>
      </div>
    </div>
  );
}

/** Backspace where nothing is written takes the last attachment away, one for each press; undoing right behind a paste makes it a text. */
function takesAttachmentBack(event: KeyboardEvent, chat: ChatController, pasteAsText: () => void): boolean {
  if (event.isComposing || event.keyCode === 229 || event.shiftKey || event.altKey) return false;
  const text = chat.drafts.text.peek();
  const isModified = event.ctrlKey || event.metaKey;
  if (event.key === 'Backspace' && !isModified && text === '' && !event.repeat) return chat.attachments.removeLast();
  if (event.key.toLowerCase() !== 'z' || !isModified || chat.attachments.lastPasted.peek()?.typed !== text) return false;
  pasteAsText();
  return true;
}

function SendButton({ queues, disabled, send }: { readonly queues: boolean; readonly disabled: boolean; readonly send: () => void }) {
  const chat = useChat();
  const press = (): void => {
    send();
    chat.focusComposer();
  };
  if (queues) {
    return (
      <button type="button" class="button secondary compact" disabled={disabled} title={t('Queue: sent when this turn is over')} onClick={press}>
        {t('Queue')}
      </button>
    );
  }
  return (
    <button type="button" class="button compact send" disabled={disabled} aria-label={t('Send')} title={t('Send (Enter)')} onClick={press}>
      <Icon name="send" />
    </button>
  );
}

function StopButton({ stop }: { readonly stop: () => void }) {
  const chat = useChat();
  const press = (): void => {
    stop();
    chat.focusComposer();
  };
  return (
    <button type="button" class="button compact" title={t('Stop (Escape)')} onClick={press}>
      <Icon name="debug-stop" /> {t('Stop')}
    </button>
  );
}

function ProblemLine() {
  const chat = useChat();
  const problem = chat.problem.value;
  if (problem === null) return null;
  const tone = problem.offersModels ? 'warning' : problem.isRefusal ? 'error' : 'info';
  return (
    <div class={`notice notice-${tone}`} role={problem.isRefusal ? 'alert' : 'status'}>
      <Icon name={tone} />
      <div class="notice-body">
        <span>{problem.sentence}</span>
        {problem.offersModels && (
          <span class="notice-actions">
            <button type="button" class="button compact" onClick={() => chat.chooseModel()}>{t('Choose Model')}</button>
          </span>
        )}
      </div>
      <button type="button" class="icon-button" title={t('Dismiss')} aria-label={t('Dismiss')} onClick={() => chat.dismissProblem()}>
        <Icon name="close" />
      </button>
    </div>
  );
}

interface OfferedCommands {
  readonly offered: readonly Offered[];
  /** Null while no list is shown. */
  readonly active: Offered | null;
  readonly pick: (command: Offered) => void;
  readonly typed: (text: string) => void;
  readonly close: () => void;
  /** Whether the key was meant for the list. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
}

/** The list of commands over the composer: opened by typing "/", closed by Escape until the text is another one. */
function useCommands(text: ReadonlySignal<string>, prompts: readonly OfferedPrompt[], edit: (text: string) => void): OfferedCommands {
  const isOpen = useSignal(false);
  const place = useSignal(0);
  // Keys may come faster than drawings: each is judged by what is true when it comes.
  const find = (typed: string): Pick<OfferedCommands, 'offered' | 'active'> => {
    const offered = offeredCommands(typed, prompts);
    return { offered, active: isOpen.value ? (offered[Math.min(place.value, offered.length - 1)] ?? null) : null };
  };
  const close = (): void => {
    isOpen.value = false;
  };
  const pick = (command: Offered): void => {
    close();
    edit(completed(command));
  };
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const { offered, active } = find(text.peek());
    if (active === null || event.isComposing || event.keyCode === 229 || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) place.value = (offered.indexOf(active) + step + offered.length) % offered.length;
    else if (event.key === 'Escape') close();
    // Typed to its end, a command needs no completing: Enter runs it.
    else if (event.key === 'Tab' || (event.key === 'Enter' && completed(active) !== text.peek())) pick(active);
    else return false;
    event.preventDefault();
    return true;
  };
  const typed = (next: string): void => {
    isOpen.value = offeredCommands(next, prompts).length > 0;
    place.value = 0;
  };
  return { ...find(text.value), pick, typed, close, onKeyDown };
}

/** Focuses the field when asked to, and where it had the focus before the view was hidden; never takes the focus from elsewhere. */
function useComposerFocus(field: HTMLTextAreaElement | null, requests: number): void {
  const chat = useChat();
  const answered = useRef(0);
  useEffect(() => {
    if (requests === answered.current) return;
    answered.current = requests;
    // A decision above the composer that was opened by the same press has taken the focus.
    if ((document.activeElement?.closest('.card') ?? null) === null) field?.focus();
  });
  useEffect(() => {
    if (!chat.needs.memory.recalled.composerFocused) return undefined;
    if (document.hasFocus()) {
      chat.focusComposer();
      return undefined;
    }
    const focusOnReturn = (): void => {
      if (document.activeElement === document.body) chat.focusComposer();
    };
    window.addEventListener('focus', focusOnReturn, { once: true });
    return () => window.removeEventListener('focus', focusOnReturn);
  }, [chat]);
}
