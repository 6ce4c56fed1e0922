import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Icon } from '../../buttons';
import { t } from '../../localization';
import { withInsertion } from '../drafts/composerText';
import { attachedText, droppedUris, mayBeAttached, pastedImages, readFiles } from './incomingFiles';
import { Attachments } from './attachments';
import { Drafts } from '../drafts/drafts';
import { type Chat, useChat } from '../state/chat';

/** Accepts drops anywhere on the panel. Files from the editor arrive only while Shift is held: without it VS Code
 *  keeps them for itself. */
export function DropTarget() {
  const chat = useChat();
  const isOver = useSignal(false);
  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const over = (event: DragEvent): void => {
      if (event.dataTransfer === null || !mayBeAttached(event.dataTransfer.types)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
      isOver.value = true;
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) isOver.value = false;
    };
    const drop = (event: DragEvent): void => {
      const wasOver = isOver.peek();
      isOver.value = false;
      if (!wasOver || event.dataTransfer === null) return;
      event.preventDefault();
      void takeDropped(chat, event.dataTransfer);
    };
    document.addEventListener('dragenter', over, { signal });
    document.addEventListener('dragover', over, { signal });
    document.addEventListener('dragleave', leave, { signal });
    document.addEventListener('drop', drop, { signal });
    return () => listening.abort();
  }, [chat]);
  if (!isOver.value) return null;
  return (
    <div class="drop-overlay" aria-hidden="true">
      <Icon name="attach" />
      <span>{t('Drop to attach')}</span>
      <span class="drop-note">{t('Hold Shift to drop files from VS Code here.')}</span>
    </div>
  );
}

/** Drop data can be read only during the event; files can be read later. */
async function takeDropped(chat: Chat, data: DataTransfer): Promise<void> {
  const uris = droppedUris(data);
  const files = Array.from(data.files);
  const text = data.getData('text/plain');
  chat.focusComposer();
  if (uris.length > 0) return chat.part(Attachments).dropped(uris);
  if (files.length > 0) return takeFiles(chat, files);
  if (text !== '') chat.part(Drafts).edit(withInsertion(chat.part(Drafts).text.peek(), text));
}

async function takeFiles(chat: Chat, files: readonly File[]): Promise<void> {
  const { parts, problems } = await readFiles(files);
  chat.part(Attachments).add(parts, problems);
}

/** Attaches images and long texts pasted into the composer. Leaves every other paste to the field. */
export function takePasted(chat: Chat, event: ClipboardEvent, caret: number): void {
  const data = event.clipboardData;
  if (data === null) return;
  const images = pastedImages(data);
  const text = attachedText(data);
  if (images.length === 0 && text === null) return;
  event.preventDefault();
  if (text === null) void takeFiles(chat, images);
  else chat.part(Attachments).paste(text, caret);
}
