import { useRef, useState, useEffect } from 'preact/hooks';
import type { SetupEntry } from '../../../protocol/chatProtocol';
import { Icon, LinkButton } from '../../buttons';
import { t } from '../../localization';
import { useLasting, useNow } from '../common/hooks';
import { useChat } from '../state/chat';
import type { SessionSummary } from '../../../transcript/session';
import { age } from '../../times';
import { sessionStateLabels } from '../pickers/SessionChoiceList';
import { SessionSwitchController } from '../session/sessionSwitchController';
import { Drafts } from '../drafts/drafts';

/** Maximum number of sessions listed; the rest is in the list of all sessions. */
const mostRecent = 5;

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
        <LinkButton label={t('Search for Local Models Again')} class="look-again" act={() => void discover()} />
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

/** The sessions used last, in the empty state. */
export function RecentSessions({ sessions }: { readonly sessions: readonly SessionSummary[] }) {
  const chat = useChat();
  const now = useNow(chat.timers.nowMs, 60_000);
  if (sessions.length === 0) return null;
  return (
    <section class="recent" aria-labelledby="recent-title">
      <h2 id="recent-title" class="section-title">
        {t('Recent sessions')}
      </h2>
      <ul class="recent-list">
        {sessions.slice(0, mostRecent).map((session, index) => (
          <li key={session.id}>
            <button
              type="button"
              class={`recent-item${session.unread ? ' unread' : ''}${index === 0 ? ' recent-last' : ''}`}
              title={session.preview ?? undefined}
              onClick={() => void chat.part(SessionSwitchController).open(session.id)}
            >
              <span class="recent-title" dir="auto">
                {session.title ?? session.preview ?? t('Untitled Session')}
              </span>
              <span class="recent-state">{sessionStateLabels(session)}</span>
              <span class="recent-age">{age(session.lastActiveAt, now / 1000)}</span>
              {index === 0 && (
                <span class="recent-words" dir="auto">
                  {lastText(session)}
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
      <LinkButton label={t('Show All Sessions…')} act={() => chat.part(SessionSwitchController).showAll()} />
    </section>
  );
}

/** Label of the last session, with its preview unless that repeats the title. */
function lastText({ title, preview }: SessionSummary): string {
  const isNews = title !== null && preview !== null && !folded(preview).startsWith(folded(title));
  return [t('Continue the last session'), ...(isNews ? [preview] : [])].join(' · ');
}

/** Returns the text as compared with another: without the mark of a shortened title, in one case and spacing. */
function folded(text: string): string {
  return text
    .replace(/(?:…|\.\.\.)$/, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

/** Prompt suggestions. Demo has answers to its own prompts. For a model, the suggestions come from the folder's
 *  content, if the model can look into it. */
export function Suggestions({ isDemo, canLook }: { readonly isDemo: boolean; readonly canLook: boolean }) {
  const chat = useChat();
  const { demoPrompts, folderName } = chat.state.value;
  const [starters, setStarters] = useState<readonly string[]>([]);
  useEffect(() => {
    if (isDemo || !canLook || folderName === null) return setStarters([]);
    // Without suggestions, users type their own prompt.
    chat.host.request('starterPrompts', {}).then(setStarters, () => undefined);
  }, [chat, isDemo, canLook, folderName]);
  // All prompts ask about a folder.
  const prompts = folderName === null ? [] : isDemo ? demoPrompts : starters;
  if (prompts.length === 0) return null;
  const suggest = (prompt: string): void => {
    chat.part(Drafts).edit(prompt);
    chat.focusComposer();
  };
  return (
    <section class="suggestions" aria-labelledby="suggestions-title">
      <h2 id="suggestions-title" class="section-title">
        {t('Try asking')}
      </h2>
      {prompts.map((prompt) => (
        <button type="button" class="suggestion" key={prompt} onClick={() => suggest(prompt)}>
          {prompt}
        </button>
      ))}
    </section>
  );
}
