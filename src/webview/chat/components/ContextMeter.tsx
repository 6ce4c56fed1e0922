import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { SessionContextUse } from '../../../protocol/chatProtocol';
import { t } from '../../localization';
import { compactCount, percentOf } from '../../times';
import { useChat } from './ChatContext';

const panelId = 'context-panel';

/** How full the model's context is, in the composer's foot. Its details open on a press. */
export function ContextMeter() {
  const chat = useChat();
  const known = chat.context.use.value;
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
        if (!(event.relatedTarget instanceof Node) || root.current?.contains(event.relatedTarget) !== true) open.value = false;
      }}
    >
      <button
        type="button"
        class={`context-button${part !== null && part >= 0.75 ? ' context-full' : ''}`}
        aria-expanded={open.value}
        aria-controls={panelId}
        aria-label={summaryWords(use, part)}
        title={summaryWords(use, part)}
        onClick={() => (open.value = !open.value)}
      >
        {part !== null && <Bar part={part} />}
        <span>{part === null ? t('{tokens} tok', { tokens: compactCount(use.tokens) }) : percentOf(part)}</span>
      </button>
      {open.value && <ContextPanel use={use} compress={() => {
        open.value = false;
        void chat.context.propose('');
      }} />}
    </div>
  );
}

/** Drawn by its attributes: the page's policy knows no inline style. */
function Bar({ part }: { readonly part: number }) {
  return (
    <svg class="context-bar" viewBox="0 0 30 6" width="30" height="6" aria-hidden="true">
      <rect class="context-track" x="0" y="0" width="30" height="6" rx="1.5" />
      <rect class="context-fill" x="0" y="0" width={Math.max(1.5, part * 30)} height="6" rx="1.5" />
    </svg>
  );
}

function ContextPanel({ use, compress }: { readonly use: SessionContextUse; readonly compress: () => void }) {
  const { parts, window } = use;
  const free = window === null ? null : Math.max(0, window - use.tokens);
  const lines = [
    ...(parts === null ? [] : [[t('Messages'), parts.messages], [t('Tools'), parts.tools], [t('System prompt'), parts.system]] as const),
    ...(parts === null || parts.memory === 0 ? [] : [[t('Memory'), parts.memory]] as const),
    ...(free === null ? [] : [[t('Free'), free]] as const),
  ];
  return (
    <div class="popup context-panel" id={panelId} role="group" aria-label={t('Context')}>
      <p class="context-title">{totalWords(use)}</p>
      {lines.length > 0 && (
        <dl class="context-lines">
          {lines.map(([name, tokens]) => (
            <div class="context-line" key={name}>
              <dt>{name}</dt>
              <dd>{compactCount(tokens)}</dd>
            </div>
          ))}
        </dl>
      )}
      <p class="context-source">{use.counted ? t('Messages as counted by the model’s service; the rest is estimated.') : t('Estimated: the model’s service has not counted them yet.')}</p>
      <button type="button" class="button secondary compact" onClick={compress}>{t('Compress…')}</button>
    </div>
  );
}

function totalWords({ tokens, window }: SessionContextUse): string {
  if (window === null) return t('{used} tokens; how many the model takes is not known', { used: compactCount(tokens) });
  return t('{used} of {window} tokens', { used: compactCount(tokens), window: compactCount(window) });
}

function summaryWords(use: SessionContextUse, part: number | null): string {
  return part === null ? t('Context: {total}', { total: totalWords(use) }) : t('Context {percent} full: {total}', { percent: percentOf(part), total: totalWords(use) });
}
