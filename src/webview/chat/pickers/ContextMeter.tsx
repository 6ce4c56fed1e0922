import { useSignal } from '@preact/signals';
import { Button } from '../../buttons';
import { useEffect, useRef } from 'preact/hooks';
import type { ContextUseView } from '../../../protocol/chatProtocol';
import { t, pageLanguage } from '../../localization';
import { compactCount, percentOf } from '../../times';
import { SessionContext } from '../session/sessionContext';
import { useChat } from '../state/chat';
import { dollars } from '../../../transcript/usage';
import type { Cost, Spending } from '../../../transcript/usage';
import { type ContextFile, type FileOrigin, isUnread, leftSentence } from '../../../transcript/contextFiles';
import { PathParts } from '../common/marks';

const contextPanelId = 'context-panel';

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

/** Breakdown of the model's context by kind. */
function ContextPanel({ use, compress }: { readonly use: ContextUseView; readonly compress: () => void }) {
  const { parts, window, files = [], left = [] } = use;
  const free = window === null ? null : Math.max(0, window - use.tokens);
  const lines: readonly (readonly [name: string, tokens: number | null])[] = [
    [t('Messages'), parts?.messages ?? null],
    [t('Tools'), parts?.tools ?? null],
    [t('System prompt'), parts?.system ?? null],
    [t('Memory'), parts?.memory || null],
    [t('Free'), free],
  ];
  const known = lines.flatMap(([name, tokens]) => (tokens === null ? [] : [[name, compactCount(tokens)] as const]));
  return (
    <div class="popup context-panel" id={contextPanelId} role="group" aria-label={t('Context')}>
      <p class="context-title">{totalText(use)}</p>
      {window !== null && <FullMeter part={Math.min(1, use.tokens / window)} label={totalText(use)} />}
      {known.length > 0 && <Lines lines={known} />}
      {files.length > 0 && (
        <>
          <p class="context-title">{t('Files in the system prompt')}</p>
          <dl class="context-lines">
            {files.map((file) => (
              <div class="context-line" key={`${file.origin} ${fileName(file)}`}>
                <dt class="context-file tool-path" title={fileName(file)}>
                  <PathParts path={fileName(file)} />
                </dt>
                <dd>
                  <span class="context-origin">{originWords(file.origin)}</span> {compactCount(file.tokens)}
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {left.filter(isUnread).map((file) => (
        <p class="context-source" role="note" key={file.path}>
          {leftSentence(file, t)}
        </p>
      ))}
      <Lines lines={costLines(use.spending)} />
      <p class="context-source">
        {use.counted
          ? t('Message tokens are counted by the provider; the rest is estimated.')
          : t('Estimated. The provider hasn’t counted the tokens yet.')}
      </p>
      <Button label={t('Compress…')} act={compress} />
    </div>
  );
}

function Lines({ lines }: { readonly lines: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl class="context-lines">
      {lines.map(([name, value]) => (
        <div class="context-line" key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function costLines({ session, today }: Spending): readonly (readonly [string, string])[] {
  return [...(session === null ? [] : [[t('Cost'), sumWords(session)] as const]), [t('Cost today'), sumWords(today)]];
}

/** "$0.42", "at least $0.42", "price unknown": the cost of several turns. */
function sumWords({ usd, unpriced }: Cost): string {
  if (unpriced === 0) return dollars(usd, pageLanguage);
  return usd === 0 ? t('price unknown') : t('at least {cost}', { cost: dollars(usd, pageLanguage) });
}

/** Uses SVG attributes: the page's content security policy forbids inline styles. */
function FullMeter({ part, label }: { readonly part: number; readonly label: string }) {
  return (
    <div
      class={`context-meter${fullness(part)}`}
      role="meter"
      aria-label={t('Context used')}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(part * 100)}
      aria-valuetext={`${percentOf(part)}: ${label}`}
    >
      <svg
        class="context-wide"
        viewBox="0 0 100 4"
        preserveAspectRatio="none"
        width="100%"
        height="4"
        aria-hidden="true"
      >
        <rect class="context-track" x="0" y="0" width="100" height="4" />
        <rect class="context-fill" x="0" y="0" width={Math.max(1, part * 100)} height="4" />
      </svg>
    </div>
  );
}

/** Says how much of the model's context a session uses. */
function totalText({ tokens, window }: ContextUseView): string {
  if (window === null) return t('{used} tokens (context size unknown)', { used: compactCount(tokens) });
  return t('{used} of {window} tokens', { used: compactCount(tokens), window: compactCount(window) });
}

/** Names a file of rules by its path, and the list of skills of one origin by their number. */
function fileName(file: ContextFile): string {
  if (file.kind === 'rules') return file.path;
  return file.count === 1 ? t('1 skill') : t('{count} skills', { count: file.count });
}

const origins: Readonly<Record<FileOrigin, () => string>> = {
  folder: () => t('This folder'),
  hermes: () => t('Yours'),
  claude: () => t('Claude Code'),
  codex: () => t('Codex'),
  copilot: () => 'Copilot',
  opencode: () => 'opencode',
  agents: () => '~/.agents',
};

function originWords(origin: FileOrigin): string {
  return origins[origin]();
}
