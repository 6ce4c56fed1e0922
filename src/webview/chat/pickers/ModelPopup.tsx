import { useEffect, useRef, useState } from 'preact/hooks';
import type { ModelList, ModelRow } from '../../../protocol/chatProtocol';
import { Icon, IconButton, LinkButton } from '../../buttons';
import { t } from '../../localization';
import { compactCount } from '../../times';
import { focusOnce, useLasting } from '../common/hooks';
import { useChat } from '../state/chat';

/** List of models, opened from the header's button. */
export function ModelPopup({ close }: { readonly close: () => void }) {
  const chat = useChat();
  const popup = useRef<HTMLDivElement>(null);
  const [filter, setFilter] = useState('');
  const [active, setActive] = useState(0);
  const { choices, problem, refresh } = useChoices();
  const searching = useLasting(choices === null && problem === null, 150);
  const rows = choices === null ? [] : choices.models.filter((row) => matches(row, filter));
  const current = rows[Math.min(active, rows.length - 1)];
  const chosen = chat.state.value.model.chosen?.ref;
  const select = async (ref: string): Promise<void> => {
    chat.ui.pickerOpen.value = false;
    if (await chat.ask(() => chat.host.request('selectModel', { sessionId: chat.sessionId, ref })))
      chat.focusComposer();
  };
  const pick = (row: ModelRow): void => void select(row.ref);

  useEffect(() => {
    popup.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [active, filter]);

  return (
    <div
      id="model-popup"
      class="popup model-popup"
      role="dialog"
      aria-label={t('Choose a Model')}
      ref={popup}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        close();
      }}
      onFocusOut={(event) => {
        if (event.relatedTarget instanceof Node && !popup.current?.contains(event.relatedTarget))
          chat.ui.pickerOpen.value = false;
      }}
    >
      <div class="popup-search">
        <input
          class="field"
          role="combobox"
          aria-label={t('Search Models')}
          aria-expanded="true"
          aria-controls="model-list"
          aria-autocomplete="list"
          aria-activedescendant={current === undefined ? undefined : optionId(current)}
          placeholder={t('Search Models')}
          value={filter}
          ref={focusOnce}
          onInput={(event) => {
            setFilter(event.currentTarget.value);
            setActive(0);
          }}
          onKeyDown={(event) => {
            if (event.isComposing) return;
            const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
            if (step !== undefined) {
              event.preventDefault();
              setActive(Math.max(0, Math.min(rows.length - 1, active + step)));
            } else if (event.key === 'Enter' && current !== undefined) {
              event.preventDefault();
              pick(current);
            }
          }}
        />
        <IconButton icon="refresh" label={t('Search for Local Models Again')} act={refresh} />
      </div>
      {searching && (
        <p class="popup-note" role="status">
          {t('Looking for models…')}
        </p>
      )}
      {problem !== null && (
        <p class="popup-note" role="alert">
          {problem}
        </p>
      )}
      <ul id="model-list" class="options" role="listbox" aria-label={t('Models')}>
        {rows.map((row) => (
          <ModelOption key={row.ref} row={row} active={row === current} chosen={row.ref === chosen} pick={pick} />
        ))}
      </ul>
      {choices !== null && rows.length === 0 && (
        <p class="popup-note">
          {choices.models.length === 0 ? t('No models found.') : t('No model matches “{filter}”.', { filter })}
        </p>
      )}
      {choices?.problems.map((trouble) => (
        <p class="popup-note popup-problem" key={trouble.provider}>
          <Icon name="warning" /> <span>{trouble.sentence}</span>
        </p>
      ))}
      <div class="popup-foot">
        <LinkButton label={t('Set Up Model…')} act={() => chat.runAction('setUpModel')} />
      </div>
    </div>
  );
}

interface OptionProps {
  readonly row: ModelRow;
  readonly active: boolean;
  readonly chosen: boolean;
  readonly pick: (row: ModelRow) => void;
}

function ModelOption({ row, active, chosen, pick }: OptionProps) {
  return (
    <li
      id={optionId(row)}
      class={`option${active ? ' active' : ''}`}
      role="option"
      aria-selected={active}
      onClick={() => pick(row)}
    >
      <span class="option-line">
        <span class="option-check">{chosen && <Icon name="check" />}</span>
        <span class="option-label" dir="auto">
          {row.label}
        </span>
        {chosen && <span class="visually-hidden">{t('selected')}</span>}
      </span>
      <span class="option-details">
        {details(row).map((detail) => (
          <span key={detail}>{detail}</span>
        ))}
      </span>
      {row.warnings.map((warning) => (
        <span class="option-warning" key={warning}>
          <Icon name="warning" /> <span>{warning}</span>
        </span>
      ))}
    </li>
  );
}

/** Destination first: where prompts go matters more than what they cost. */
function details(row: ModelRow): readonly string[] {
  const context =
    row.contextWindow === null ? [] : [t('{tokens} context', { tokens: compactCount(row.contextWindow) })];
  const price =
    row.price === null
      ? []
      : row.price.input === 0 && row.price.output === 0
        ? [t('free')]
        : [t('${input} in, ${output} out per million', { input: row.price.input, output: row.price.output })];
  const tools = row.tools === false ? [t('chat only')] : [];
  return [row.destination, ...context, ...price, ...tools];
}

function matches(row: ModelRow, filter: string): boolean {
  const text = `${row.label} ${row.ref} ${row.provider} ${row.destination}`.toLocaleLowerCase();
  return filter
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function optionId(row: ModelRow): string {
  return `model-${row.ref.replace(/[^\w-]/g, (character) => `_${character.charCodeAt(0).toString(16)}`)}`;
}

interface Choices {
  readonly choices: ModelList | null;
  readonly problem: string | null;
  readonly refresh: () => void;
}

function useChoices(): Choices {
  const chat = useChat();
  const [choices, setChoices] = useState<ModelList | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const latest = useRef(0);
  const load = (again: boolean): void => {
    const number = ++latest.current;
    setChoices(null);
    setProblem(null);
    chat.host.request('listModels', { refresh: again }).then(
      (found) => {
        if (number === latest.current) setChoices(found);
      },
      (error: unknown) => {
        if (number === latest.current) setProblem(error instanceof Error ? error.message : String(error));
      },
    );
  };
  useEffect(() => load(false), []);
  return { choices, problem, refresh: () => load(true) };
}
