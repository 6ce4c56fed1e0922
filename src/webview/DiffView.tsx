import type { ComponentChildren } from 'preact';
import { LinkButton } from './buttons';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from './localization';
import { showMisleading } from '../transcript/text/invisibleCharacters';

/** Lines that tools add around a diff and that readers do not need. */
const noise = /^(diff --git |index [0-9a-f]|Index: |=+$|$)/;

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;

interface DiffViewProps {
  /** Unified diff. */
  readonly diff: string;
  readonly label: string;
  /** True when the surroundings already name the file. */
  readonly nameless?: boolean;
  /** Maximum number of lines shown until the user asks for all. Default: no limit. */
  readonly most?: number;
  /** Further actions, next to the button that shows all lines. */
  readonly children?: ComponentChildren;
}

/** Read-only unified diff with its own scroll area, which the keyboard can scroll too. */
export function DiffView({ diff, label, nameless = false, most = Number.POSITIVE_INFINITY, children }: DiffViewProps) {
  const [all, setAll] = useState(false);
  const lines = diffLines(diff);
  const shown = all ? lines : lines.slice(0, most);
  const files = lines.filter(({ kind }) => kind === 'file').length;
  const view = useRef<HTMLDivElement>(null);
  useEffect(() => (view.current === null ? undefined : keepFirstChangeInSight(view.current)), []);
  return (
    <>
      <div class="diff" role="region" aria-label={label} tabIndex={0} ref={view}>
        <div class="diff-lines">
          {shown.map((line, index) =>
            line.kind === 'file' && nameless && files === 1 ? null : (
              <Line key={index} line={line} first={index === 0} />
            ),
          )}
        </div>
      </div>
      {(lines.length > most || children !== undefined) && (
        <p class="diff-more">
          {lines.length > shown.length && (
            <>
              <span>{t('{shown} of {count} lines', { shown: shown.length, count: lines.length })}</span>
              <LinkButton label={t('Show All ({count} lines)', { count: lines.length })} act={() => setAll(true)} />
            </>
          )}
          {children}
        </p>
      )}
    </>
  );
}

/** Starts the view near the first change, with a little context above it. When lines wrap, unchanged lines could
 *  otherwise fill the view. Repeats at every width until the user scrolls. The returned function stops this. */
function keepFirstChangeInSight(view: HTMLElement): () => void {
  const watching = new ResizeObserver(() => {
    const change = view.querySelector('.diff-added, .diff-removed')?.getBoundingClientRect();
    if (change === undefined) return;
    const { top, bottom } = view.getBoundingClientRect();
    if (change.bottom > bottom) view.scrollTop += change.top - top - view.clientHeight / 4;
  });
  watching.observe(view);
  // Watch input events, not scroll events: the scroll position also changes when more content fits.
  const stop = (): void => watching.disconnect();
  for (const act of ['wheel', 'pointerdown', 'keydown'])
    view.addEventListener(act, stop, { once: true, passive: true });
  return stop;
}

const signs: Readonly<Record<DiffLine['kind'], string>> = {
  added: '+',
  removed: '-',
  same: ' ',
  file: '',
  hunk: '',
  note: '',
};

function Line({ line, first }: { readonly line: DiffLine; readonly first: boolean }) {
  const { kind, text, before, after } = line;
  if (kind === 'hunk')
    return first || after === 1 ? null : (
      <div class="diff-line diff-hunk">
        {text === '' ? t('line {line}', { line: after ?? 0 }) : t('line {line}: {text}', { line: after ?? 0, text })}
      </div>
    );
  if (kind === 'file' || kind === 'note') return <div class={`diff-line diff-${kind}`}>{text}</div>;
  return (
    <div class={`diff-line diff-${kind}`}>
      <span class="diff-number" aria-hidden="true">
        {after ?? before}
      </span>
      <span class="diff-sign">{signs[kind]}</span>
      <span class="diff-text">
        {showMisleading(text)}
        {'\n'}
      </span>
    </div>
  );
}

/** One rendered line of a unified diff. file: names a file · hunk: position of the next lines · note: a remark about
 *  the diff. */
interface DiffLine {
  readonly kind: 'file' | 'hunk' | 'added' | 'removed' | 'same' | 'note';
  readonly text: string;
  /** Line number in the old and the new file, from 1; null when the line is not in it. */
  readonly before: number | null;
  readonly after: number | null;
}

/** Parses a unified diff. Keeps any other line as a note: a truncated preview says so itself. */
export function diffLines(diff: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let [before, after, beforeLeft, afterLeft] = [0, 0, 0, 0];
  let old = '';
  for (const text of diff.replace(/\n$/, '').split('\n')) {
    const head = hunkHead.exec(text);
    if (head !== null) {
      [before, beforeLeft, after, afterLeft] = [
        Number(head[1]),
        Number(head[2] ?? 1),
        Number(head[3]),
        Number(head[4] ?? 1),
      ];
      lines.push({ kind: 'hunk', text: (head[5] ?? '').trim(), before, after });
    } else if (afterLeft > 0 && text.startsWith('+')) {
      lines.push({ kind: 'added', text: text.slice(1), before: null, after: after++ });
      afterLeft--;
    } else if (beforeLeft > 0 && text.startsWith('-')) {
      lines.push({ kind: 'removed', text: text.slice(1), before: before++, after: null });
      beforeLeft--;
    } else if (beforeLeft > 0 && afterLeft > 0 && (text.startsWith(' ') || text === '')) {
      lines.push({ kind: 'same', text: text.slice(1), before: before++, after: after++ });
      beforeLeft--;
      afterLeft--;
    } else if (text.startsWith('--- ')) {
      old = fileName(text);
    } else if (text.startsWith('+++ ')) {
      const name = fileName(text);
      lines.push({ kind: 'file', text: name === '/dev/null' ? old : name, before: null, after: null });
    } else if (!noise.test(text)) {
      lines.push({ kind: 'note', text, before: null, after: null });
    }
  }
  return lines;
}

function fileName(line: string): string {
  return line
    .slice(4)
    .replace(/\t.*$/, '')
    .replace(/^[ab]\//, '');
}
