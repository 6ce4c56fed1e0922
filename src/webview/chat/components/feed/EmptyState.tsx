import { useEffect, useRef, useState } from 'preact/hooks';
import type { SetupEntry } from '../../../../protocol/chatProtocol';
import type { SessionSummary } from '../../../../protocol/transcriptTypes';
import { Icon } from '../../../Icon';
import { t } from '../../../localization';
import { age } from '../../../times';
import { sessionStateLabels } from '../../labels/sessionStateLabels';
import { useChat } from '../common/ChatContext';
import { useLasting, useNow } from '../common/timing';

/** Empty state, shown when there is no conversation: an introduction, the available models, and recent sessions. */
export function EmptyState() {
  const chat = useChat();
  const { model, recentSessions, folderName, isVirtual, beginning } = chat.state.value;
  return (
    <div class="empty">
      <p class="empty-line">
        {t('Hermes works in your folder with the model you choose. Everything you see is already saved.')}
      </p>
      {beginning.private && <p class="empty-note">{t('Private session: saved locally, not added to memory.')}</p>}
      {folderName === null && (
        <p class="empty-note">
          {t('No folder is open. Hermes can chat, but has no files to read.')}{' '}
          <button type="button" class="link-button" onClick={() => chat.runAction('openFolder')}>
            {t('Open Folder')}
          </button>
        </p>
      )}
      {isVirtual && (
        <p class="empty-note">
          {t('This folder isn’t on a local disk. Hermes can read and edit its files, but can’t run commands here.')}
        </p>
      )}
      {model.chosen === null ? (
        <SetupOffers />
      ) : (
        <Suggestions isDemo={model.chosen.isDemo} canLook={model.chosen.tools !== false} />
      )}
      {model.chosen?.warnings.map((warning) => (
        <p class="empty-note" key={warning}>
          {warning}
        </p>
      ))}
      <RecentSessions sessions={recentSessions} />
      <p class="empty-note">
        <button type="button" class="link-button" onClick={() => chat.runAction('getStarted')}>
          {t('Get Started with Hermes')}
        </button>
      </p>
    </div>
  );
}

function SetupOffers() {
  const chat = useChat();
  const { setup } = chat.state.value;
  const searching = useLasting(setup.searching, 150);
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
        <button type="button" class="link-button look-again" onClick={() => void chat.discover()}>
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
      await chat.setUp(entry.id);
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

/** Prompt suggestions. Demo has answers to its own prompts. For a model, the suggestions come from the folder's
 *  content, if the model can look into it. */
function Suggestions({ isDemo, canLook }: { readonly isDemo: boolean; readonly canLook: boolean }) {
  const chat = useChat();
  const { demoPrompts, folderName } = chat.state.value;
  const [starters, setStarters] = useState<readonly string[]>([]);
  useEffect(() => {
    if (isDemo || !canLook || folderName === null) return setStarters([]);
    // Without suggestions, users type their own prompt.
    chat.needs.host.request('starterPrompts', {}).then(setStarters, () => undefined);
  }, [chat, isDemo, canLook, folderName]);
  // All prompts ask about a folder.
  const prompts = folderName === null ? [] : isDemo ? demoPrompts : starters;
  if (prompts.length === 0) return null;
  return (
    <section class="suggestions" aria-labelledby="suggestions-title">
      <h2 id="suggestions-title" class="section-title">
        {t('Try asking')}
      </h2>
      {prompts.map((prompt) => (
        <button type="button" class="suggestion" key={prompt} onClick={() => chat.suggest(prompt)}>
          {prompt}
        </button>
      ))}
    </section>
  );
}

function RecentSessions({ sessions }: { readonly sessions: readonly SessionSummary[] }) {
  const chat = useChat();
  const now = useNow(chat.needs.timers.nowMs, 60_000);
  if (sessions.length === 0) return null;
  return (
    <section class="recent" aria-labelledby="recent-title">
      <h2 id="recent-title" class="section-title">
        {t('Recent sessions')}
      </h2>
      <ul class="recent-list">
        {sessions.map((session, index) => (
          <li key={session.id}>
            <button
              type="button"
              class={`recent-item${session.unread ? ' unread' : ''}${index === 0 ? ' recent-last' : ''}`}
              title={session.preview ?? undefined}
              onClick={() => void chat.switches.open(session.id)}
            >
              <span class="recent-title" dir="auto">
                {session.title ?? session.preview ?? t('Untitled Session')}
              </span>
              <span class="recent-state">{sessionStateLabels(session)}</span>
              <span class="recent-age">{age(session.lastActiveAt, now / 1000)}</span>
              {index === 0 && (
                <span class="recent-words" dir="auto">
                  {lastWords(session)}
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
      <button type="button" class="link-button" onClick={() => chat.showAllSessions()}>
        {t('Show All Sessions…')}
      </button>
    </section>
  );
}

/** Label of the last session, with its preview when it has a title. */
function lastWords({ title, preview }: SessionSummary): string {
  return [t('Continue the last session'), ...(title === null || preview === null ? [] : [preview])].join(' · ');
}
