import { t, shownList } from '../../localization';
import type { OfferedAgent } from '../../../protocol/composerProtocol';
import { useChat } from '../state/chat';
import { AgentController } from './agentController';
import { OptionPicker } from './OptionPicker';

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
