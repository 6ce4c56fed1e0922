import { t, shownList } from '../../localization';
import { OptionPicker } from './OptionPicker';
import { EffortController, AgentController } from './sessionOptions';
import { useChat } from '../state/chat';
import type { ModelRow } from '../../../protocol/chatProtocol';
import { reasoningEfforts, type ReasoningEffort } from '../../../transcript/session';
import type { OfferedAgent } from '../../../protocol/composerProtocol';

/** Name of each effort, and what it does. */
const effortLabels: Readonly<Record<ReasoningEffort, () => { readonly name: string; readonly description: string }>> = {
  default: () => ({ name: t('Default'), description: t('The model’s default.') }),
  none: () => ({ name: t('Off'), description: t('Answers without reasoning first, if the model allows it.') }),
  low: () => ({ name: t('Low'), description: t('Brief reasoning: faster and cheaper.') }),
  medium: () => ({ name: t('Medium'), description: t('Balanced.') }),
  high: () => ({ name: t('High'), description: t('More reasoning: slower and uses more tokens.') }),
};

/** Reasoning effort of the model, if the model supports a choice. */
export function EffortPicker() {
  const chat = useChat();
  const { conversation, model } = chat.steady.value;
  const chosen = chat.part(EffortController).of(conversation?.session.id ?? null);
  const efforts = offeredEfforts(model.chosen, chosen);
  if (efforts.length === 0) return null;
  // An effort the model does not support is not sent: the default is used.
  const shown = efforts.includes(chosen) ? chosen : 'default';
  const { name, description } = effortLabels[shown]();
  return (
    <OptionPicker
      id="effort"
      label={t('Effort')}
      listLabel={t('Efforts')}
      icon="lightbulb"
      title={t('Effort {effort}: {words}', { effort: name, words: description })}
      class={`effort-picker effort-${shown}`}
      options={efforts.map((value) => ({ value, ...effortLabels[value]() }))}
      chosen={shown}
      pick={(effort) => void chat.part(EffortController).set(effort)}
    >
      <span class="picker-label">{shown === 'default' ? t('Effort') : name}</span>
    </OptionPicker>
  );
}

/** Returns the efforts the model offers; empty when there is no choice. A chosen effort stays visible while the
 *  model's efforts are unknown. */
export function offeredEfforts(
  model: Pick<ModelRow, 'efforts'> | null,
  chosen: ReasoningEffort,
): readonly ReasoningEffort[] {
  const efforts = model?.efforts ?? (chosen === 'default' ? [] : reasoningEfforts);
  return efforts.length > 1 ? efforts : [];
}

/** Value of the usual agent: no file has an empty name. */
const usual = '';
/** Maximum characters of a description: some hold whole examples. */
const longestDescription = 160;

/** Custom agent that answers in the session. Hidden while no file describes one. */
export function AgentPicker() {
  const chat = useChat();
  const { chosen, offered } = chat.part(AgentController).of(chat.steady.value.conversation?.session.id ?? null);
  if (chosen === null && offered.length === 0) return null;
  const isMissing = chosen !== null && offered.every(({ name }) => name !== chosen);
  const missing = { name: chosen ?? usual, description: t('Its file is not there: the usual agent answers.') };
  const options = [
    { value: usual, name: t('Hermes'), description: t('The usual agent.') },
    ...offered.map((agent) => ({ value: agent.name, name: agent.name, description: about(agent) })),
    ...(isMissing ? [{ value: missing.name, ...missing }] : []),
  ];
  const shown = options.find(({ value }) => value === (chosen ?? usual));
  return (
    <OptionPicker
      id="agent"
      label={t('Custom Agent')}
      listLabel={t('Custom Agents')}
      icon="person"
      title={`${shown?.name ?? ''}: ${shown?.description ?? ''}`}
      class={`agent-picker${chosen === null ? ' agent-usual' : ''}`}
      options={options}
      chosen={chosen ?? usual}
      takesAgain
      pick={(name) => void chat.part(AgentController).choose(name === usual ? null : name)}
    >
      <span class="picker-label">{chosen ?? t('Hermes')}</span>
    </OptionPicker>
  );
}

function about({ description, missingTools, missingModel }: OfferedAgent): string {
  const line = description.length > longestDescription ? `${description.slice(0, longestDescription)}…` : description;
  const tools =
    missingTools.length === 0 ? [] : [`(${t('not available: {names}', { names: shownList(missingTools) })})`];
  return [line, ...tools, ...(missingModel === null ? [] : [missingModel])].join(' ');
}
