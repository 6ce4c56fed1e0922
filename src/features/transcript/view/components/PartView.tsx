import type { StoredApproval } from '../../protocol/transcriptProtocol';
import type { Part } from '../../../../transcript/part';
import { t } from '../../../../webview/localization';
import { Markdown, type MarkdownActions } from '../../../../webview/markdown/Markdown';
import { readableArguments } from '../../../../webview/toolLabels';
import { approvalLabels } from '../state/borderLabels';
import type { TranscriptRow } from '../state/transcriptRows';
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';

const mostLines = 40;

const mostCharacters = 8000;

interface PartProps {
  readonly part: Part;
  readonly role: TranscriptRow['message']['role'];
  readonly raw: boolean;
  /** True when nothing is folded. */
  readonly open: boolean;
  readonly approvals: readonly StoredApproval[];
  readonly markdown: MarkdownActions;
}

/** One part of a row, with all of its content. */
export function PartView({ part, role, raw, open, approvals, markdown }: PartProps) {
  const plain = (kind: 'text' | 'thinking', text: string, style: string) => (
    <Folded
      text={text}
      open={open}
      render={(shown) => (
        <div class={raw ? 'raw' : style} dir="auto" data-part={kind}>
          {shown}
        </div>
      )}
    />
  );
  switch (part.kind) {
    case 'text':
      // A prompt is the user's typed text, not Markdown.
      if (raw || role === 'user') return plain('text', part.text, 'plain');
      return (
        <Folded
          text={part.text}
          open={open}
          render={(text) => (
            <div data-part="text">
              <Markdown text={text} complete actions={markdown} />
            </div>
          )}
        />
      );
    case 'thinking':
      return (
        <section class="part">
          <h2 class="part-title">{t('Thinking')}</h2>
          {plain('thinking', part.text, 'plain muted')}
        </section>
      );
    case 'toolCall':
      return (
        <section class="part">
          <h2 class="part-title">{t('Tool call: {tool}', { tool: part.name })}</h2>
          <Code
            text={raw ? part.arguments : readableArguments(part.arguments)}
            label={t('Arguments of {tool}', { tool: part.name })}
            open={open}
          />
          {approvals
            .filter(({ callId }) => callId === part.callId)
            .map((approval) => (
              <p class="approval" key={approval.id}>
                {approvalLabels(approval)}
              </p>
            ))}
        </section>
      );
    case 'toolResult':
      return (
        <section class="part">
          <h2 class="part-title">{t('Result of {tool}: {outcome}', { tool: part.name, outcome: part.outcome })}</h2>
          <Code text={part.text} label={t('Result of {tool}', { tool: part.name })} open={open} />
        </section>
      );
    case 'attachment':
      return (
        <section class="part">
          <h2 class="part-title">{t('Attached: {label}', { label: part.label })}</h2>
          <Code text={part.text} label={part.label} open={open} />
        </section>
      );
    case 'image':
      return <p class="aside">{t('Image {name}, {type}', { name: part.name ?? '', type: part.mediaType })}</p>;
  }
}

/** Text in the editor's font; wide lines scroll inside, also by keyboard. */
export function Code({ text, label, open }: { readonly text: string; readonly label: string; readonly open: boolean }) {
  return (
    <Folded
      text={text}
      open={open}
      render={(shown) => (
        <pre class="raw code" role="region" aria-label={label} tabIndex={0}>
          {shown}
        </pre>
      )}
    />
  );
}

/** Returns the beginning of a long text, or the whole text if it is short. Pure. */
function beginningOf(text: string): string {
  const lines = text.split('\n', mostLines + 1);
  const beginning = lines.length > mostLines ? lines.slice(0, mostLines).join('\n') : text;
  return beginning.length > mostCharacters ? beginning.slice(0, mostCharacters) : beginning;
}

interface FoldedProps {
  readonly text: string;
  /** True when shown whole, because the user was taken here. */
  readonly open: boolean;
  readonly render: (text: string) => ComponentChild;
}

/** Shows a long text up to about its fortieth line, the rest on demand. */
function Folded({ text, open, render }: FoldedProps) {
  const [wanted, setWanted] = useState(false);
  const beginning = beginningOf(text);
  const isLong = beginning.length < text.length;
  const isOpen = wanted || open || !isLong;
  return (
    <>
      {render(isOpen ? text : beginning)}
      {isLong && !open && (
        <button type="button" class="link-button fold" aria-expanded={isOpen} onClick={() => setWanted(!wanted)}>
          {isOpen ? t('Show Less') : t('Show All ({count} lines)', { count: text.split('\n').length })}
        </button>
      )}
    </>
  );
}
