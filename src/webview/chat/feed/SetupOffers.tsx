import { useRef, useState } from 'preact/hooks';
import type { SetupEntry } from '../../../protocol/chatProtocol';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import { useLasting } from '../common/timing';
import { useChat } from '../state/chat';

/** Ways to set up a model, shown while none is chosen. */
export function SetupOffers() {
  const chat = useChat();
  const { setup } = chat.state.value;
  const searching = useLasting(setup.searching, 150);
  const discover = (): Promise<boolean> =>
    chat.ask(async () => chat.dispatch({ kind: 'discovered', setup: await chat.host.request('discover', {}) }));
  const inPlace = useInPlace(setup.entries);
  return (
    <section class="offers" aria-labelledby="offers-title">
      <h2 id="offers-title" class="section-title">
        {t('Choose a model')}
      </h2>
      {inPlace.map((entry) => (
        <SetupButton key={entry.id} entry={entry} />
      ))}
      {searching && (
        <p class="empty-note searching offer-place" role="status">
          <Icon name="loading" spin /> {t('Looking for models…')}
        </p>
      )}
      {!setup.searching && (
        <button type="button" class="link-button look-again" onClick={() => void discover()}>
          {t('Search for Local Models Again')}
        </button>
      )}
    </section>
  );
}

/** Appends entries found while the user looks on, so that no button moves from under the pointer. */
function useInPlace(entries: readonly SetupEntry[]): readonly SetupEntry[] {
  const order = useRef<readonly string[]>([]);
  order.current = [...order.current, ...entries.map(({ id }) => id).filter((id) => !order.current.includes(id))];
  return [...entries].sort((a, b) => order.current.indexOf(a.id) - order.current.indexOf(b.id));
}

const entryIcons: Readonly<Record<SetupEntry['kind'], string>> = {
  editorModels: 'vscode',
  localServer: 'server',
  pasteKey: 'key',
  demo: 'play',
};

function SetupButton({ entry }: { readonly entry: SetupEntry }) {
  const chat = useChat();
  const [busy, setBusy] = useState(false);
  const press = async (): Promise<void> => {
    setBusy(true);
    try {
      await chat.ask(() => chat.host.request('setUp', { entryId: entry.id }));
    } finally {
      setBusy(false);
    }
  };
  return (
    <button type="button" class="offer" disabled={busy} onClick={() => void press()}>
      <Icon name={busy ? 'loading' : entryIcons[entry.kind]} spin={busy} />
      <span class="offer-body">
        <span class="offer-title">{entry.title}</span>
        <span class="offer-detail">{entry.detail}</span>
      </span>
    </button>
  );
}
