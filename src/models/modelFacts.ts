import { joinSentences } from '../base/messageText';
import { shownLanguage, t } from '../base/translate';
import type { ModelInfo, ModelPrice } from './modelInfo';
import type { ModelSettings } from './providerSettings';
import type { ReasoningEffort } from '../transcript/session';

/** A source's facts about one model. Absent means unknown. */
export interface ModelFacts {
  readonly id: string;
  readonly label?: string;
  readonly contextWindow?: number;
  /** Tokens the server allocates. */
  readonly allocatedContext?: number;
  /** Instructions for giving the model more context, for the user's own server. */
  readonly contextFix?: string;
  readonly tools?: boolean;
  readonly images?: boolean;
  readonly efforts?: readonly ReasoningEffort[];
  readonly price?: ModelPrice;
}

/** Tokens. In a smaller context an agent's prompt, its tools and one file barely fit. */
const smallContext = 16_384;

/** Combines the facts of a model. The user's own description overrides the server's facts. */
export function describeModel(
  provider: { readonly name: string; readonly destination: string },
  facts: ModelFacts,
  described: ModelSettings | undefined,
): ModelInfo {
  const contextWindow = described?.contextWindow ?? facts.contextWindow ?? null;
  const allocatedContext = facts.allocatedContext ?? null;
  const tools = described?.tools ?? facts.tools ?? null;
  const label = facts.label ?? facts.id;
  return {
    ref: `${provider.name}/${facts.id}`,
    provider: provider.name,
    id: facts.id,
    label,
    destination: provider.destination,
    contextWindow,
    allocatedContext,
    tools,
    images: described?.images ?? facts.images ?? null,
    efforts: facts.efforts ?? ['default'],
    price: facts.price ?? null,
    warnings: [
      ...(tools === false
        ? [
            t('{model} can’t call tools, so it can only chat. It can’t read files or search the folder.', {
              model: label,
            }),
          ]
        : []),
      ...contextWarning(label, contextWindow, allocatedContext, facts.contextFix),
    ],
  };
}

function contextWarning(
  label: string,
  contextWindow: number | null,
  allocated: number | null,
  fix: string | undefined,
): readonly string[] {
  const size = allocated ?? contextWindow;
  if (size === null || size >= smallContext) return [];
  const tokens = size.toLocaleString(shownLanguage());
  const canGrow = contextWindow === null || contextWindow > size;
  if (fix === undefined || !canGrow)
    return [
      t(
        '{model} takes only {count} tokens, which is too little to work with files. Choose a model with a larger context.',
        { model: label, count: tokens },
      ),
    ];
  return [
    joinSentences([
      t('{model} is given only {count} tokens here, and longer requests are cut off.', { model: label, count: tokens }),
      fix,
    ]),
  ];
}
