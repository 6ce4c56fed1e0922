import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ContextUseView } from '../../../protocol/chatProtocol';
import { t } from '../../localization';
import { compactCount, percentOf } from '../../times';
import { ContextPanel } from './ContextPanel';
import { contextPanelId, totalText } from './contextLabels';
import { SessionContext } from '../session/sessionContext';
import { useChat } from '../state/chat';

/** Shows in the composer's footer how full the model's context is. A press opens the details. */
export function ContextMeter() {
  const chat = useChat();
  const known = chat.part(SessionContext).use.value;
  const open = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  const sessionId = known?.sessionId ?? null;
  useEffect(() => {
    open.value = false;
  }, [sessionId]);
  if (known === null || known.use.tokens === 0) return null;
  const { use } = known;
  const part = use.window === null ? null : Math.min(1, use.tokens / use.window);
  return (
    <div
      class="context"
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open.value) return;
        event.preventDefault();
        open.value = false;
        root.current?.querySelector('button')?.focus();
      }}
      onFocusOut={(event) => {
        if (!(event.relatedTarget instanceof Node) || root.current?.contains(event.relatedTarget) !== true)
          open.value = false;
      }}
    >
      <button
        type="button"
        class={`context-button${fullness(part)}`}
        aria-expanded={open.value}
        aria-controls={contextPanelId}
        aria-label={summaryText(use, part)}
        title={summaryText(use, part)}
        onClick={() => (open.value = !open.value)}
      >
        {part !== null && <Bar part={part} />}
        <span>{part === null ? t('{tokens} tok', { tokens: compactCount(use.tokens) }) : percentOf(part)}</span>
      </button>
      {open.value && (
        <ContextPanel
          use={use}
          compress={() => {
            open.value = false;
            void chat.part(SessionContext).propose('');
          }}
        />
      )}
    </div>
  );
}

/** Uses SVG attributes: the page's content security policy forbids inline styles. */
function Bar({ part }: { readonly part: number }) {
  return (
    <svg class="context-bar" viewBox="0 0 30 6" width="30" height="6" aria-hidden="true">
      <rect class="context-track" x="0" y="0" width="30" height="6" rx="1.5" />
      <rect class="context-fill" x="0" y="0" width={Math.max(1.5, part * 30)} height="6" rx="1.5" />
    </svg>
  );
}

function fullness(part: number | null): string {
  if (part === null || part < 0.75) return '';
  return part < 0.9 ? ' context-full' : ' context-full context-brimful';
}

function summaryText(use: ContextUseView, part: number | null): string {
  return part === null
    ? t('Context {tokens} tok: {total}', { tokens: compactCount(use.tokens), total: totalText(use) })
    : t('Context {percent} full: {total}', { percent: percentOf(part), total: totalText(use) });
}
