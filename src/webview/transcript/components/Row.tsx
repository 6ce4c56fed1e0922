import type { Part } from '../../../protocol/transcriptWords';
import { t } from '../../localization';
import { Markdown, type MarkdownActions } from '../../markdown/Markdown';
import { memo } from '../../memo';
import { fullTime } from '../../times';
import { readableArguments } from '../../toolWords';
import { roleWord, type TranscriptRow } from '../transcriptRows';

interface RowProps {
  readonly row: TranscriptRow;
  readonly raw: boolean;
  readonly markdown: MarkdownActions;
}

/** One stored row: what it is, and all that is in it. */
export const Row = memo(({ row, raw, markdown }: RowProps) => {
  const { message, number, state, tokens, aside, joined } = row;
  return (
    <div class={`row row-${message.role}${aside === null ? '' : ' row-aside'}`} role="row" data-uid={message.uid} aria-rowindex={number} tabIndex={-1}>
      <span class="cell cell-number" role="gridcell">{number}</span>
      <span class="cell cell-role" role="rowheader">{roleWord(message.role)}</span>
      <time class="cell cell-time" role="gridcell" dateTime={new Date(message.createdAt * 1000).toISOString()}>{fullTime(message.createdAt)}</time>
      <span class="cell cell-state" role="gridcell">{state}</span>
      <span class="cell cell-tokens" role="gridcell">{tokens}</span>
      <div class="cell cell-content" role="gridcell">
        {aside !== null && <p class="aside">{aside}</p>}
        {joined !== null && <p class="aside">{joined}</p>}
        {message.parts.length === 0 && <p class="aside">{t('Empty')}</p>}
        {message.parts.map((part, index) => <PartView key={index} part={part} role={message.role} raw={raw} markdown={markdown} />)}
      </div>
    </div>
  );
});

interface PartProps {
  readonly part: Part;
  readonly role: TranscriptRow['message']['role'];
  readonly raw: boolean;
  readonly markdown: MarkdownActions;
}

function PartView({ part, role, raw, markdown }: PartProps) {
  switch (part.kind) {
    case 'text':
      // A prompt is what the person typed, not Markdown.
      if (raw || role === 'user') return <div class={raw ? 'raw' : 'plain'} dir="auto" data-part="text">{part.text}</div>;
      return <div data-part="text"><Markdown text={part.text} complete actions={markdown} /></div>;
    case 'thinking':
      return (
        <section class="part">
          <h2 class="part-title">{t('Thinking')}</h2>
          <div class={raw ? 'raw' : 'plain muted'} dir="auto" data-part="thinking">{part.text}</div>
        </section>
      );
    case 'toolCall':
      return (
        <section class="part">
          <h2 class="part-title">{t('Tool call: {tool}', { tool: part.name })}</h2>
          <pre class="raw" tabIndex={0}>{raw ? part.arguments : readableArguments(part.arguments)}</pre>
        </section>
      );
    case 'toolResult':
      return (
        <section class="part">
          <h2 class="part-title">{t('Result of {tool}: {outcome}', { tool: part.name, outcome: part.outcome })}</h2>
          <pre class="raw result" tabIndex={0}>{part.text}</pre>
        </section>
      );
    case 'image':
      return <p class="aside">{t('Image {name}, {type}', { name: part.name ?? '', type: part.mediaType })}</p>;
  }
}
