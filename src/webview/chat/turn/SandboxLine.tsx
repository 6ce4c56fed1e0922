import { t, shownList } from '../../localization';
import type { CommandDetails } from '../../toolDetails';
import { withInsertion } from '../drafts/composerText';
import { Drafts } from '../drafts/drafts';
import { useChat } from '../state/chat';

/** Below a command's line: what the sandbox blocked, and which files appeared meanwhile and were removed again. */
export function SandboxLine({ details: { command, sandbox } }: { readonly details: CommandDetails }) {
  const chat = useChat();
  const askToRunOutside = (): void => {
    const quoted = command.includes('`') || command.includes('\n') ? `\n~~~\n${command}\n~~~` : `\`${command}\``;
    chat
      .part(Drafts)
      .edit(
        withInsertion(
          chat.part(Drafts).text.peek(),
          t('Run this again without the sandbox: {command}', { command: quoted }),
        ),
      );
    chat.focusComposer();
  };
  const { stopped = [], takenOut = [] } = sandbox ?? {};
  return (
    <>
      {takenOut.length > 0 && (
        <p
          class="tool-note"
          title={t('Such a file can run code or instruct agents, so creating it needs your approval.')}
        >
          {t('Removed from the folder: {files}', { files: shownList(takenOut) })}
        </p>
      )}
      {stopped.length > 0 && (
        <p class="tool-note tool-stopped">
          <span>{t('Blocked by the sandbox: {what}', { what: shownList(stopped) })}</span>{' '}
          <button
            type="button"
            class="button secondary tiny"
            title={t('Writes a prompt that asks for this. You still approve the command before it runs.')}
            onClick={askToRunOutside}
          >
            {t('Run Without Sandbox…')}
          </button>
        </p>
      )}
    </>
  );
}
