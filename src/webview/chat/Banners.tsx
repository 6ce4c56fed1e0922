import type { StoreAction } from '../../protocol/chatProtocol';
import { Icon, LinkButton } from '../buttons';
import { t } from '../localization';
import { useLasting } from './common/hooks';
import { lazyPanel } from './lazyPanel';
import { useChat } from './state/chat';

/** Notices about the whole panel: storage, sync of the session, workspace trust, the scripted model. Empty while all is
 *  well. */
export function Banners() {
  const lazy = lazyPanel.value;
  return (
    <div class="strips">
      <StoreStrip />
      <SyncStrip />
      <RestrictedStrip />
      <ModelStrip />
      {lazy !== null && <lazy.BackgroundStrip />}
    </div>
  );
}

function StoreStrip() {
  const chat = useChat();
  const { store } = chat.steady.value;
  const opening = useLasting(store.kind === 'opening', 150);
  switch (store.kind) {
    case 'opening':
      return opening ? (
        <p class="strip" role="status">
          {t('Opening your sessions…')}
        </p>
      ) : null;
    case 'open':
      return (
        <>
          {store.notices.map((notice) => (
            <Strip key={notice.sentence} tone="info" sentence={notice.sentence} actions={notice.actions} />
          ))}
        </>
      );
    case 'readOnly':
      return <Strip tone="warning" {...store} />;
    case 'elsewhere':
      return <Strip tone="info" {...store} />;
    case 'failed':
      return <Strip tone="error" {...store} />;
  }
}

function SyncStrip() {
  const chat = useChat();
  const shown = chat.conversation?.session.conversationId;
  const refused = chat.steady.value.sync?.refused.find(({ conversationId }) => conversationId === shown);
  return refused === undefined ? null : <Strip tone="warning" sentence={refused.sentence} actions={[]} />;
}

interface StripProps {
  readonly tone: 'info' | 'warning' | 'error';
  readonly icon?: string;
  readonly sentence: string;
  readonly actions: readonly (StoreAction & { readonly run?: () => void })[];
  readonly technical?: string;
}

function Strip({ tone, icon = tone, sentence, actions, technical }: StripProps) {
  const chat = useChat();
  return (
    <div class={`strip strip-${tone}`} role={tone === 'info' ? 'status' : 'alert'}>
      <Icon name={icon} />
      <div class="strip-body">
        <span>{sentence}</span>
        <span class="strip-actions">
          {actions.map(({ action, label, run = () => chat.runAction(action) }) => (
            <LinkButton label={label} key={action} act={run} />
          ))}
          {technical !== undefined && <LinkButton label={t('Copy Details')} act={() => chat.copy(technical)} />}
        </span>
      </div>
    </div>
  );
}

function RestrictedStrip() {
  if (!useChat().steady.value.restricted) return null;
  return (
    <Strip
      tone="info"
      icon="shield"
      sentence={t(
        'Restricted Mode: Hermes can only read files. Editing, commands, MCP servers, and this folder’s model and endpoint settings are off.',
      )}
      actions={[{ action: 'manageTrust', label: t('Manage') }]}
    />
  );
}

function ModelStrip() {
  const chat = useChat();
  const { chosen, problem } = chat.steady.value.model;
  if (problem !== null)
    return (
      <Strip
        tone="warning"
        sentence={problem}
        actions={[
          { action: 'chooseModel', label: t('Choose a Model'), run: () => chat.ui.chooseModel() },
          { action: 'setUpModel', label: t('Set Up Model…') },
        ]}
      />
    );
  if (chosen?.isDemo !== true) return null;
  return (
    <div class="strip strip-demo" role="note">
      <span>{t('Demo: scripted, not AI')}</span>
      <LinkButton label={t('Choose a Model')} act={() => chat.ui.chooseModel()} />
    </div>
  );
}
