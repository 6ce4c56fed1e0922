import type { RowRevision } from '../../../protocol/transcriptProtocol';
import type { Part } from '../../../protocol/transcriptWords';
import { t } from '../../localization';
import { Markdown, type MarkdownActions } from '../../markdown/Markdown';
import { memo } from '../../memo';
import { fullTime } from '../../times';
import { readableArguments } from '../../toolWords';
import type { TranscriptController } from '../transcriptController';
import { roleWord, type TranscriptRow } from '../transcriptRows';

interface RowProps {
  readonly row: TranscriptRow;
  readonly raw: boolean;
  /** The Tab key comes here. */
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  /** What it said before it was rewritten; null until somebody asks. */
  readonly revisions: readonly RowRevision[] | null;
  readonly transcript: TranscriptController;
}

/** One stored row: what it is, and all that is in it. */
export const Row = memo(({ row, raw, isCurrent, isSelected, revisions, transcript }: RowProps) => {
  const { message, number, state, tokens, aside, joined } = row;
  const { markdown } = transcript;
  const select = (): void => {
    transcript.selected.value = message.uid;
  };
  return (
    <div
      class={`row row-${message.role}${aside === null ? '' : ' row-aside'}${isSelected ? ' selected' : ''}`}
      role="row"
      data-uid={message.uid}
      aria-rowindex={number}
      aria-selected={isSelected}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={select}
      onClick={select}
    >
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
        {joined !== null && <Earlier uid={message.uid} role={message.role} raw={raw} revisions={revisions} transcript={transcript} />}
      </div>
    </div>
  );
});

type EarlierProps = Pick<RowProps, 'raw' | 'revisions' | 'transcript'> & { readonly uid: string; readonly role: TranscriptRow['message']['role'] };

/** What a repaired row said before, read when somebody asks. */
function Earlier({ uid, role, raw, revisions, transcript }: EarlierProps) {
  if (revisions === null) {
    return (
      <button type="button" class="link-button" onClick={() => void transcript.showRevisions(uid)}>
        {t('Show Earlier Content')}
      </button>
    );
  }
  if (revisions.length === 0) return <p class="aside">{t('No earlier content is kept for this row.')}</p>;
  return (
    <>
      {revisions.map(({ revisedAt, parts }, index) => (
        <section class="part" key={index}>
          <h2 class="part-title">{t('Before {time}', { time: fullTime(revisedAt) })}</h2>
          {parts.map((part, at) => <PartView key={at} part={part} role={role} raw={raw} markdown={transcript.markdown} />)}
        </section>
      ))}
    </>
  );
}

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
    case 'attachment':
      return (
        <section class="part">
          <h2 class="part-title">{t('Sent along: {label}', { label: part.label })}</h2>
          <pre class="raw" tabIndex={0}>{part.text}</pre>
        </section>
      );
    case 'image':
      return <p class="aside">{t('Image {name}, {type}', { name: part.name ?? '', type: part.mediaType })}</p>;
  }
}
