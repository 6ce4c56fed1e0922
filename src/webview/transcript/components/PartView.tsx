import type { StoredApproval } from '../../../protocol/transcriptProtocol';
import type { Part } from '../../../protocol/transcriptTypes';
import { t } from '../../localization';
import { Markdown, type MarkdownActions } from '../../markdown/Markdown';
import { readableArguments } from '../../toolLabels';
import { approvalLabels } from '../state/borderLabels';
import type { TranscriptRow } from '../state/transcriptRows';
import { Folded } from './Folded';

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
  switch (part.kind) {
    case 'text':
      // A prompt is the user's typed text, not Markdown.
      if (raw || role === 'user')
        return (
          <Folded
            text={part.text}
            open={open}
            render={(text) => (
              <div class={raw ? 'raw' : 'plain'} dir="auto" data-part="text">
                {text}
              </div>
            )}
          />
        );
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
          <Folded
            text={part.text}
            open={open}
            render={(text) => (
              <div class={raw ? 'raw' : 'plain muted'} dir="auto" data-part="thinking">
                {text}
              </div>
            )}
          />
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
