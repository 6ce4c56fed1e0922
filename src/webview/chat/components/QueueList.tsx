import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { QueuedPrompt } from '../../../protocol/transcriptWords';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import { partLabel } from '../draftParts';
import { useChat } from './ChatContext';

/** Prompts that wait on disk: for the running turn to end or, behind a stop or a failure, for the person. */
export function QueueList({ queue }: { readonly queue: readonly QueuedPrompt[] }) {
  const isRunning = useChat().isBusy.value;
  if (queue.length === 0) return null;
  const args = { count: queue.length };
  return (
    <section class="queue">
      <h2 class="queue-title" id="queue-title">{isRunning ? t('Queued ({count})', args) : t('Queued ({count}), waiting for you', args)}</h2>
      <ul class="queue-list" aria-label={t('Queued messages')}>
        {queue.map((prompt, index) => <QueueItem key={prompt.uid} prompt={prompt} number={index + 1} isRunning={isRunning} />)}
      </ul>
    </section>
  );
}

function QueueItem({ prompt, number, isRunning }: { readonly prompt: QueuedPrompt; readonly number: number; readonly isRunning: boolean }) {
  const chat = useChat();
  const [editing, setEditing] = useState(false);
  if (editing) return <li class="queue-item"><QueueEditor prompt={prompt} close={() => setEditing(false)} /></li>;
  return (
    <li class="queue-item" data-uid={prompt.uid}>
      <span class="queue-number" aria-hidden="true">{number}</span>
      <span class="queue-text" dir="auto" title={prompt.text}>{prompt.text}</span>
      {prompt.parts !== undefined && prompt.parts.length > 0 && <QueuedParts prompt={prompt} />}
      <IconButton icon="edit" label={t('Edit')} onClick={() => setEditing(true)} />
      {!isRunning && <IconButton icon="send" label={t('Send Now')} onClick={() => void chat.promoteQueued(prompt.uid)} />}
      {isRunning && number > 1 && <IconButton icon="arrow-up" label={t('Send Next')} onClick={() => void chat.promoteQueued(prompt.uid)} />}
      <IconButton icon="close" label={t('Remove')} onClick={() => void chat.removeQueued(prompt.uid)} />
    </li>
  );
}

/** What goes along with a prompt that waits: by name where there is room for it, else by number. */
function QueuedParts({ prompt }: { readonly prompt: QueuedPrompt }) {
  const parts = prompt.parts ?? [];
  const names = parts.map(partLabel).join(', ');
  return (
    <span class={prompt.text === '' ? 'queue-parts queue-parts-only' : 'queue-parts'} title={names}>
      <Icon name="attach" />
      <span class="visually-hidden">{t('Attachments: {names}', { names })}</span>
      <span class="queue-parts-names" aria-hidden="true" dir="auto">{prompt.text === '' || parts.length === 1 ? names : parts.length}</span>
    </span>
  );
}

function IconButton({ icon, label, onClick }: { readonly icon: string; readonly label: string; readonly onClick: () => void }) {
  return (
    <button type="button" class="icon-button" title={label} aria-label={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

function QueueEditor({ prompt, close }: { readonly prompt: QueuedPrompt; readonly close: () => void }) {
  const chat = useChat();
  // A signal: Enter may come before what was typed is drawn.
  const text = useSignal(prompt.text);
  const leave = (): void => {
    close();
    chat.focusComposer();
  };
  const isBlank = (written: string): boolean => written.trim() === '' && (prompt.parts ?? []).length === 0;
  const isEmpty = isBlank(text.value);
  const save = async (): Promise<void> => {
    const written = text.peek();
    if (!isBlank(written) && (await chat.editQueued(prompt.uid, written))) leave();
  };
  return (
    <div class="queue-editor">
      <textarea
        class="field queue-field"
        aria-label={t('Edit queued message')}
        dir="auto"
        value={text.value}
        ref={(field: HTMLTextAreaElement | null) => {
          if (field !== null && !field.dataset['focused']) {
            field.dataset['focused'] = 'true';
            field.focus();
          }
        }}
        onInput={(event) => (text.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === 'Escape') {
            event.preventDefault();
            leave();
          } else if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault();
            void save();
          }
        }}
      />
      <div class="queue-editor-actions">
        <button type="button" class="button" disabled={isEmpty} onClick={() => void save()}>{t('Save')}</button>
        <button type="button" class="button secondary" onClick={leave}>{t('Cancel')}</button>
      </div>
    </div>
  );
}
