import type { ContextUseView } from '../../../protocol/chatProtocol';
import { dollars } from '../../../protocol/costText';
import type { Cost, Spending } from '../../../protocol/transcriptTypes';
import { pageLanguage, t } from '../../localization';
import { compactCount, percentOf } from '../../times';
import { PathParts } from '../common/PathParts';
import { contextPanelId, fileName, leftWords, originWords, totalText } from './contextLabels';

/** Breakdown of the model's context by kind. */
export function ContextPanel({ use, compress }: { readonly use: ContextUseView; readonly compress: () => void }) {
  const { parts, window, files = [], left = [] } = use;
  const free = window === null ? null : Math.max(0, window - use.tokens);
  const lines = [
    ...(parts === null
      ? []
      : ([
          [t('Messages'), parts.messages],
          [t('Tools'), parts.tools],
          [t('System prompt'), parts.system],
        ] as const)),
    ...(parts === null || parts.memory === 0 ? [] : ([[t('Memory'), parts.memory]] as const)),
    ...(free === null ? [] : ([[t('Free'), free]] as const)),
  ];
  return (
    <div class="popup context-panel" id={contextPanelId} role="group" aria-label={t('Context')}>
      <p class="context-title">{totalText(use)}</p>
      {window !== null && <FullMeter part={Math.min(1, use.tokens / window)} label={totalText(use)} />}
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
      {left.map((file) => (
        <p class="context-source" role="note" key={file.path}>
          {leftWords(file)}
        </p>
      ))}
      <dl class="context-lines">
        {costLines(use.spending).map(([name, cost]) => (
          <div class="context-line" key={name}>
            <dt>{name}</dt>
            <dd>{cost}</dd>
          </div>
        ))}
      </dl>
      <p class="context-source">
        {use.counted
          ? t('Message tokens are counted by the provider; the rest is estimated.')
          : t('Estimated. The provider hasn’t counted the tokens yet.')}
      </p>
      <button type="button" class="button secondary compact" onClick={compress}>
        {t('Compress…')}
      </button>
    </div>
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
      class={`context-meter${part >= 0.75 ? ' context-full' : ''}${part >= 0.9 ? ' context-brimful' : ''}`}
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
