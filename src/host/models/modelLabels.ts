import { t } from '../../base/translate';
import type { ModelInfo } from '../../models/modelInfo';
import type { ModelRow } from '../../protocol/chatProtocol';

/** Converts a model for pickers. The context window is the one that the server really allocates, if known. */
export function modelRow(info: ModelInfo, isDemo: boolean): ModelRow {
  return {
    ref: info.ref,
    label: info.label,
    provider: info.provider,
    destination: info.destination,
    contextWindow: info.allocatedContext ?? info.contextWindow,
    tools: info.tools,
    images: info.images,
    efforts: info.efforts,
    price: info.price,
    warnings: info.warnings,
    isDemo,
  };
}

/** Formats the line under a model's name: context, price, and warnings. Leaves out unknown facts, never guesses. */
export function modelDetail(row: Pick<ModelRow, 'contextWindow' | 'price' | 'warnings'>, language: string): string {
  const facts = [
    row.contextWindow === null ? null : t('{size} token context', { size: compact(row.contextWindow, language) }),
    row.price === null ? null : priceText(row.price, language),
    ...row.warnings,
  ];
  return facts.filter((fact) => fact !== null).join(' · ');
}

function priceText(price: { readonly input: number; readonly output: number }, language: string): string {
  if (price.input === 0 && price.output === 0) return t('free');
  return t('{input} in, {output} out per million tokens', {
    input: dollars(price.input, language),
    output: dollars(price.output, language),
  });
}

function compact(tokens: number, language: string): string {
  return new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 }).format(tokens);
}

function dollars(amount: number, language: string): string {
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: amount < 1 ? 3 : 2,
  }).format(amount);
}
