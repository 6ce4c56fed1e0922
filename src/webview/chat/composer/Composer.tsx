import { effect, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Icon, IconButton } from '../../buttons';
import { t } from '../../localization';
import { composerKey } from '../drafts/composerText';
import { isWriting, settleCaret, writeAfresh, writeUndoably } from './undoableText';
import { commandListId, commandOptionId, useCommands, useAnnouncedCount } from './slashCommands';
import { mentionListId, mentionOptionId, useMentions } from './mentions';
import { ApprovalController, lazyCards } from '../cards/approvalController';
import { Attachments } from './attachments';
import { lazyComposer } from './lazyComposer';
import { TypedInput } from './typedInput';
import { Drafts } from '../drafts/drafts';
import { PromptSender } from '../drafts/promptSender';
import { lazyPickers, OptionPicker } from '../pickers/OptionPicker';
import { SessionArrival } from '../session/sessionArrival';
import { SessionSwitchController } from '../session/sessionSwitchController';
import { type Chat, useChat } from '../state/chat';
import { lazyTurn } from '../turn/lazyTurn';
import { useOutside } from '../common/hooks';
import type { Mode } from '../../../transcript/approval';
import { modes } from '../../../transcript/approvalChecks';
import { modeLabels } from '../common/modeLabels';

const modeIcons: Readonly<Record<Mode, string>> = { ask: 'shield', auto: 'edit', plan: 'list-ordered' };

/** Permission mode: how freely the agent may act here. */
function ModePicker() {
  const chat = useChat();
  const lazy = lazyPickers.value;
  const { conversation, newMode, sandbox } = chat.steady.value;
  const mode = conversation?.mode ?? newMode;
  const confined = sandbox?.kind === 'works';
  return (
    <OptionPicker
      id="mode"
      label={t('Mode')}
      listLabel={t('Modes')}
      icon={modeIcons[mode]}
      title={`${modeLabels[mode].name()}: ${modeLabels[mode].about(confined)}`}
      class={`mode-picker mode-${mode}`}
      options={modes.map((value) => ({
        value,
        name: modeLabels[value].name(),
        description: modeLabels[value].about(confined),
      }))}
      chosen={mode}
      note={() => lazy !== null && <lazy.SandboxNote />}
      pick={(chosen) => void chat.part(ApprovalController).setMode(chosen)}
    >
      <span class="picker-label">{modeLabels[mode].name()}</span>
    </OptionPicker>
  );
}

/** Prompt composer. Typed text leaves the composer only when it is on disk. */
export function Composer() {
  const chat = useChat();
  const field = useRef<HTMLTextAreaElement>(null);
  const drafts = chat.part(Drafts);
  const attachments = chat.part(Attachments);
  const text = drafts.text.value;
  // A turn that another window runs is stopped there.
  const running = chat.isBusy.value && chat.steady.value.store.kind !== 'elsewhere';
  const submitting = chat.part(PromptSender).busy.value;
  const choices = chat.part(SessionSwitchController).choices.value;
  const approval = chat.steady.value.conversation?.approval ?? null;
  const lazy = lazyComposer.value;
  const cards = lazyCards.value;
  const pickers = lazyPickers.value;
  const turn = lazyTurn.value;
  useComposerFocus(field, chat.ui.composerFocus.value);
  useEffect(() => showAtOnce(field, chat), [chat]);
  const history = lazy === null ? null : chat.part(lazy.PromptHistory);

  const commands = useCommands();
  const mentions = useMentions(field);
  useAnnouncedCount(commands.active !== null ? commands.offered.length : (mentions.offered?.length ?? null));
  const parts = attachments.parts.value;
  // Keys may arrive faster than renders.
  const isEmpty = (): boolean => drafts.text.peek().trim() === '' && attachments.parts.peek().length === 0;
  const cannotSend = (text.trim() === '' && parts.length === 0) || drafts.isSent.value;
  const pasteAsText = (): void => {
    const caret = attachments.pasteAsText();
    if (caret === null || field.current === null) return;
    field.current.focus();
    field.current.setSelectionRange(caret, caret);
  };

  /** Updates the field immediately, so that a key pressed before the next render finds the caret in the right place. */
  const writeEarlier = (caretIn: (text: string) => number): void => {
    const text = drafts.text.peek();
    if (field.current === null) return;
    field.current.setSelectionRange(caretIn(text), caretIn(text));
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (commands.onKeyDown(event) || mentions.onKeyDown(event)) return;
    if (event.defaultPrevented) return;
    if (takesAttachmentBack(event, chat, pasteAsText)) return event.preventDefault();
    if (isEmpty() && approval !== null && isAllowKey(event)) {
      event.preventDefault();
      if (!event.repeat) chat.part(ApprovalController).allowFromComposer(approval);
      return;
    }
    const { selectionStart, selectionEnd } = field.current ?? { selectionStart: 0, selectionEnd: 0 };
    switch (
      composerKey(event, {
        text: drafts.text.peek(),
        selectionStart,
        selectionEnd,
        isEarlier: history?.isOpen === true,
      })
    ) {
      case 'submit':
        event.preventDefault();
        void chat.part(TypedInput).submit();
        break;
      case 'older':
        event.preventDefault();
        void history?.older().then((isThere) => isThere && writeEarlier((text) => text.split('\n', 1)[0]?.length ?? 0));
        break;
      case 'newer':
        event.preventDefault();
        history?.newer();
        writeEarlier((text) => text.length);
        break;
      case 'escape':
        if (chat.requests.problem.peek() !== null) chat.requests.dismiss();
        else if (history?.isOpen === true) {
          history.leave();
          writeEarlier((text) => text.length);
        } else break;
        event.preventDefault();
        break;
      case 'none':
        break;
    }
  };

  return (
    <div class="composer-area">
      {lazy !== null && <lazy.LeavingPrompts />}
      {turn !== null && <turn.TodoPanel />}
      {cards !== null && <cards.Cards />}
      {pickers !== null && choices !== null && <pickers.SessionChoiceList choices={choices} />}
      {lazy !== null && <lazy.DropTarget />}
      {lazy !== null && mentions.offered !== null && (
        <lazy.MentionList mentions={mentions.offered} active={mentions.active} pick={mentions.pick} />
      )}
      {lazy !== null && commands.active !== null && (
        <lazy.CommandList commands={commands.offered} active={commands.active} pick={commands.pick} />
      )}
      <div class="composer" onClick={(event) => event.target === event.currentTarget && field.current?.focus()}>
        {lazy !== null && parts.length > 0 && <lazy.AttachmentStrip pasteAsText={pasteAsText} />}
        <textarea
          ref={field}
          class="composer-field"
          aria-label={t('Message')}
          aria-busy={submitting}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={
            commands.active !== null ? commandListId : mentions.offered !== null ? mentionListId : undefined
          }
          aria-activedescendant={
            commands.active !== null
              ? commandOptionId(commands.active)
              : mentions.active !== null
                ? mentionOptionId(mentions.active)
                : undefined
          }
          dir="auto"
          rows={1}
          placeholder={t('Ask, @ to mention, / for commands')}
          value={text}
          onInput={(event) => {
            if (isWriting()) return;
            settleCaret(event);
            commands.typed(event.currentTarget.value);
            drafts.edit(event.currentTarget.value);
            mentions.moved(true);
          }}
          onKeyDown={onKeyDown}
          onKeyUp={() => mentions.moved(false)}
          onClick={() => mentions.moved(false)}
          onPaste={(event) => lazy?.takePasted(chat, event, event.currentTarget.selectionStart)}
          onFocus={() => chat.memory.remember({ composerFocused: true })}
          onBlur={() => {
            commands.close();
            mentions.close();
            chat.memory.remember({ composerFocused: false });
            chat.part(SessionArrival).leave();
          }}
        />
        {lazy !== null && <lazy.CurrentFileChip />}
        <div class="composer-bar">
          <AttachButton />
          <ModePicker />
          {pickers !== null && <pickers.AgentPicker />}
          {pickers !== null && <pickers.EffortPicker />}
          <span class="composer-hint">{t('Enter to send, Shift+Enter for a new line')}</span>
          <span class="composer-buttons">
            {pickers !== null && <pickers.ContextMeter />}
            {running && <StopButton stop={() => void chat.stop()} />}
            {(!running || !cannotSend) && (
              <SendButton
                queues={running}
                disabled={cannotSend}
                send={() => void chat.part(TypedInput).submit(running ? 'queue' : undefined)}
              />
            )}
          </span>
        </div>
      </div>
    </div>
  );
}

/** True for the key that allows the request in front. */
function isAllowKey(event: KeyboardEvent): boolean {
  const isPlain = !event.isComposing && event.keyCode !== 229 && !event.shiftKey && !event.altKey;
  return event.key === 'Enter' && (event.ctrlKey || event.metaKey) && isPlain;
}

/** Puts text changes that were not typed into the field before the next render. Otherwise a key pressed before that
 *  render would be added to the old text. Undo brings back what such a change replaced, but never another session's
 *  draft. */
function showAtOnce(field: { readonly current: HTMLTextAreaElement | null }, chat: Chat): () => void {
  let known = chat.part(Drafts).switches.peek();
  return effect(() => {
    const text = chat.part(Drafts).text.value;
    const switches = chat.part(Drafts).switches.value;
    const isSwitch = switches !== known;
    known = switches;
    if (field.current === null) return;
    if (isSwitch) writeAfresh(field.current, text);
    else writeUndoably(field.current, text);
  });
}

/** Backspace in an empty field removes the last attachment, one per key press. Undo right after a paste turns the
 *  pasted attachment into text. */
function takesAttachmentBack(event: KeyboardEvent, chat: Chat, pasteAsText: () => void): boolean {
  if (event.isComposing || event.keyCode === 229 || event.shiftKey || event.altKey) return false;
  const text = chat.part(Drafts).text.peek();
  const isModified = event.ctrlKey || event.metaKey;
  if (event.key === 'Backspace' && !isModified && text === '' && !event.repeat)
    return chat.part(Attachments).removeLast();
  if (event.key.toLowerCase() !== 'z' || !isModified || chat.part(Attachments).lastPasted.peek()?.typed !== text)
    return false;
  pasteAsText();
  return true;
}

interface SendButtonProps {
  /** True while a turn runs: the prompt is queued. */
  readonly queues: boolean;
  readonly disabled: boolean;
  readonly send: () => void;
}

function SendButton({ queues, disabled, send }: SendButtonProps) {
  const chat = useChat();
  return (
    <button
      type="button"
      class={`button compact ${queues ? 'secondary queue' : 'send'}`}
      disabled={disabled}
      aria-label={queues ? t('Queue') : t('Send')}
      title={queues ? t('Queue: sent after the current turn') : t('Send (Enter)')}
      onClick={() => {
        send();
        chat.focusComposer();
      }}
    >
      <Icon name="send" />
      {queues && <span class="queue-word">{t('Queue')}</span>}
    </button>
  );
}

function StopButton({ stop }: { readonly stop: () => void }) {
  const chat = useChat();
  const press = (): void => {
    stop();
    chat.focusComposer();
  };
  return <IconButton icon="debug-stop" label={t('Stop')} class="stop" title={t('Stop (Escape)')} act={press} />;
}

/** Focuses the field on request, and again if it had the focus before the view was hidden. Never steals the focus
 *  from another control. */
function useComposerFocus(field: { readonly current: HTMLTextAreaElement | null }, requests: number): void {
  const chat = useChat();
  const answered = useRef(0);
  useEffect(() => {
    if (requests === answered.current) return;
    answered.current = requests;
    // A card above the composer, opened by the same key press, may have taken the focus.
    if ((document.activeElement?.closest('.card') ?? null) === null) field.current?.focus();
  });
  useEffect(() => {
    if (!chat.memory.recalled.composerFocused) return undefined;
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

/** Opens the menu of things to attach to the prompt. */
function AttachButton() {
  const isOpen = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  const lazy = lazyComposer.value;
  const close = (): void => {
    isOpen.value = false;
  };
  useOutside(root, isOpen.value, close, ['pointerdown', 'focusin']);
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !isOpen.peek()) return;
    event.preventDefault();
    close();
    root.current?.querySelector('button')?.focus();
  };
  return (
    <div class="attach" ref={root} onKeyDown={escape}>
      <IconButton
        icon="add"
        label={t('Attach')}
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        title={t('Attach files, images and more')}
        act={() => (isOpen.value = !isOpen.peek())}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          isOpen.value = true;
        }}
      />
      {isOpen.value && lazy !== null && <lazy.AttachMenu close={close} />}
    </div>
  );
}
