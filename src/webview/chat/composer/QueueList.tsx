import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { QueuedPrompt } from '../../../transcript/session';
import { Button, Icon, IconButton } from '../../buttons';
import { t, shownList } from '../../localization';
import { partLabel } from '../drafts/draftParts';
import { useChat, usePart } from '../state/chat';
import { focusOnce, useInPlaceEditor, useLasting } from '../common/hooks';
import { Drafts } from '../drafts/drafts';

/** Prompts that wait on disk: for the running turn to end or, after a stop or a failure, for the user. */
export function QueueList({ queue }: { readonly queue: readonly QueuedPrompt[] }) {
  const isRunning = useChat().isBusy.value;
  const section = useRef<HTMLElement>(null);
  const acted = useQueueFocus(queue, section);
  if (queue.length === 0) return null;
  const args = { count: queue.length };
  return (
    <section class="queue" ref={section}>
      <h2 class="queue-title" id="queue-title">
        {isRunning ? t('Queued ({count})', args) : t('{count} queued, paused', args)}
      </h2>
      <ul class="queue-list" aria-label={t('Queued messages')}>
        {queue.map((prompt, index) => (
          <QueueItem key={prompt.uid} prompt={prompt} number={index + 1} isRunning={isRunning} acted={acted} />
        ))}
      </ul>
    </section>
  );
}

/** Moves the focus after an action in a row, whose button may be gone or whose row may have moved. Keeps it with the
 *  prompt; if that is gone, with the one that took its place; after the last one, in the composer. Leaves a focus
 *  that has moved elsewhere alone. */
function useQueueFocus(queue: readonly QueuedPrompt[], section: RefObject<HTMLElement | null>): (uid: string) => void {
  const chat = useChat();
  const pressed = useRef<{ readonly uid: string; readonly place: number } | null>(null);
  useEffect(() => {
    const last = pressed.current;
    pressed.current = null;
    const focused = document.activeElement;
    const isElsewhere =
      focused !== null &&
      focused !== document.body &&
      focused.isConnected &&
      section.current?.contains(focused) !== true;
    if (last === null || isElsewhere) return;
    const place = queue.findIndex(({ uid }) => uid === last.uid);
    const rows = section.current?.querySelectorAll('.queue-item') ?? [];
    const row = rows[place === -1 ? Math.min(last.place, rows.length - 1) : place];
    if (row === undefined) chat.focusComposer();
    else row.querySelector<HTMLElement>(place === -1 ? 'button:last-of-type' : 'button')?.focus();
  }, [queue]);
  return (uid) => {
    pressed.current = { uid, place: queue.findIndex((prompt) => prompt.uid === uid) };
  };
}

interface QueueItemProps {
  readonly prompt: QueuedPrompt;
  readonly number: number;
  readonly isRunning: boolean;
  /** Called when an action is about to move or remove the prompt. */
  readonly acted: (uid: string) => void;
}

function QueueItem({ prompt, number, isRunning, acted }: QueueItemProps) {
  const chat = useChat();
  const isNextStep = isRunning && prompt.isNextStep === true;
  const promote = (): void => {
    acted(prompt.uid);
    void chat.ask(() => chat.host.request('promoteQueued', { uid: prompt.uid }));
  };
  const remove = async (): Promise<void> => {
    acted(prompt.uid);
    if (await chat.ask(() => chat.host.request('removeQueued', { uid: prompt.uid })))
      chat.ui.announce(t('Removed from the queue'));
  };
  const row = useRef<HTMLLIElement>(null);
  const { editing, edit, close } = useInPlaceEditor(() => row.current?.querySelector('button')?.focus());
  if (editing)
    return (
      <li class="queue-item">
        <QueueEditor prompt={prompt} close={() => close(true)} />
      </li>
    );
  return (
    <li class="queue-item" data-uid={prompt.uid} ref={row}>
      {isNextStep ? (
        <span class="queue-next">{t('Next step')}</span>
      ) : (
        <span class="queue-number" aria-hidden="true">
          {number}
        </span>
      )}
      <span class="queue-text" dir="auto" title={prompt.text}>
        {prompt.text}
      </span>
      {prompt.parts !== undefined && prompt.parts.length > 0 && <QueuedParts prompt={prompt} />}
      <IconButton icon="edit" label={t('Edit')} act={edit} />
      {!isRunning && <IconButton icon="send" label={t('Send Now')} act={promote} />}
      {isRunning && !isNextStep && number > 1 && <IconButton icon="arrow-up" label={t('Send Next')} act={promote} />}
      {/* Keeps the icons of all rows in one column. */}
      {isRunning && (isNextStep || number === 1) && <span class="queue-slot" />}
      <IconButton icon="close" label={t('Remove')} act={() => void remove()} />
    </li>
  );
}

/** Attachments of a queued prompt: their names when there is room, else their number. */
function QueuedParts({ prompt }: { readonly prompt: QueuedPrompt }) {
  const parts = prompt.parts ?? [];
  const names = shownList(parts.map(partLabel));
  return (
    <span class={prompt.text === '' ? 'queue-parts queue-parts-only' : 'queue-parts'} title={names}>
      <Icon name="attach" />
      <span class="visually-hidden">{t('Attachments: {names}', { names })}</span>
      <span class="queue-parts-names" aria-hidden="true" dir="auto">
        {prompt.text === '' || parts.length === 1 ? names : parts.length}
      </span>
    </span>
  );
}

function QueueEditor({ prompt, close }: { readonly prompt: QueuedPrompt; readonly close: () => void }) {
  const chat = useChat();
  // A signal, because Enter may be pressed before the typed text is rendered.
  const text = useSignal(prompt.text);
  const isBlank = (written: string): boolean => written.trim() === '' && (prompt.parts ?? []).length === 0;
  const isEmpty = isBlank(text.value);
  const save = async (): Promise<void> => {
    const written = text.peek();
    if (isBlank(written)) return;
    if (await chat.ask(() => chat.host.request('editQueued', { uid: prompt.uid, text: written }))) close();
  };
  return (
    <div class="queue-editor">
      <textarea
        class="field queue-field"
        aria-label={t('Edit queued message')}
        dir="auto"
        value={text.value}
        ref={focusOnce}
        onInput={(event) => (text.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing || event.keyCode === 229) return;
          if (event.key === 'Escape') {
            event.preventDefault();
            close();
          } else if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault();
            void save();
          }
        }}
      />
      <div class="queue-editor-actions">
        <Button label={t('Save')} size="full" primary disabled={isEmpty} act={() => void save()} />
        <Button label={t('Cancel')} size="full" act={close} />
      </div>
    </div>
  );
}

/** Sent prompts that are not on disk yet and have left the field, so that the user can type the next one. Rarely
 *  visible: storing takes moments. */
export function LeavingPrompts() {
  const leaving = usePart(Drafts).leaving.value;
  const lasting = useLasting(leaving.length > 0, 300);
  if (!lasting) return null;
  return (
    <section class="queue" aria-label={t('Saving')}>
      <h2 class="queue-title">{t('Saving…')}</h2>
      <ul class="queue-list">
        {leaving.map(({ uid, text }) => (
          <li class="queue-item" key={uid}>
            <span class="queue-text" dir="auto" title={text}>
              {text}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
