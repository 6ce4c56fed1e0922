import { Icon } from '../../buttons';
import { t } from '../../localization';
import { Markdown } from '../../markdown/Markdown';
import { showInvisible } from '../../../transcript/text/invisibleCharacters';
import { toolDetails, type CommandDetails, type EditResultDetails } from '../../toolDetails';
import { readableArguments } from '../../toolLabels';
import { commandPlace } from '../cards/approvalLabels';
import type { CallRow } from '../state/conversationRows';
import { DiffView } from '../../DiffView';
import { TodoItems } from './TodoPanel';
import { useChat } from '../state/chat';

/** Opened tool call: in the form of its kind if known, else its arguments and its tool result. */
export function CallDetails({ row }: { readonly row: CallRow }) {
  const chat = useChat();
  const details = toolDetails(row.result);
  switch (details?.kind) {
    case 'edit':
      return <Edit row={row} details={details} />;
    case 'command':
      return <Command row={row} details={details} />;
    case 'todos':
      return (
        <div class="tool-details">
          <TodoItems items={details.items} />
        </div>
      );
    case 'plan':
      return (
        <div class="tool-details tool-plan">
          <Markdown text={details.plan} complete actions={chat.markdown} />
        </div>
      );
    case 'fetch':
      return (
        <div class="tool-details">
          <p class="tool-heading" dir="ltr">
            {details.url}
          </p>
          <ResultText row={row} />
        </div>
      );
    default:
      return <Plain row={row} />;
  }
}

function Plain({ row }: { readonly row: CallRow }) {
  const { call } = row;
  return (
    <div class="tool-details">
      <p class="tool-heading">{t('Arguments of {tool}', { tool: call.name })}</p>
      <pre class="tool-text" tabIndex={0}>
        {readableArguments(call.arguments)}
      </pre>
      <ResultText row={row} />
    </div>
  );
}

/** The tool result as the model received it. */
function ResultText({ row: { result } }: { readonly row: CallRow }) {
  if (result === null) return null;
  return (
    <>
      <p class="tool-heading">{t('Result')}</p>
      <pre class="tool-text" tabIndex={0}>
        {result.text}
      </pre>
      {(result.images ?? []).map((image, index) => (
        <img
          key={index}
          class="tool-image"
          alt={image.name ?? t('Image {number}', { number: index + 1 })}
          src={`data:${image.mediaType};base64,${image.dataBase64}`}
        />
      ))}
    </>
  );
}

function Edit({ row, details }: { readonly row: CallRow; readonly details: EditResultDetails }) {
  if (details.diff.trim() === '') return <Plain row={row} />;
  return (
    <div class="tool-details">
      <DiffView diff={details.diff} label={t('Changes')} nameless={details.files.length === 1} />
    </div>
  );
}

function Command({ row, details }: { readonly row: CallRow; readonly details: CommandDetails }) {
  const output = details.tail.trim() === '' ? (row.result?.text ?? '') : details.tail;
  return (
    <div class="tool-details">
      <p class="tool-heading">{commandPlace(details.folder)}</p>
      <pre class="tool-text" tabIndex={0} dir="ltr">{`$ ${showInvisible(details.command)}`}</pre>
      {output.trim() === '' ? (
        <p class="tool-heading">
          <Icon name="info" /> {t('No output.')}
        </p>
      ) : (
        <pre class="tool-text" tabIndex={0} dir="ltr">
          {output.replace(/\n+$/, '')}
        </pre>
      )}
    </div>
  );
}
