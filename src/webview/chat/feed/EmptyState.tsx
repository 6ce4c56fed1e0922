import { t } from '../../localization';
import { LinkButton } from '../../buttons';
import { lazyFeed } from './lazyFeed';
import { useChat } from '../state/chat';

/** Empty state, shown when there is no conversation: an introduction, the available models, and recent sessions. */
export function EmptyState() {
  const chat = useChat();
  const lazy = lazyFeed.value;
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
          <LinkButton label={t('Open Folder')} act={() => chat.runAction('openFolder')} />
        </p>
      )}
      {isVirtual && (
        <p class="empty-note">
          {t('This folder isn’t on a local disk. Hermes can read and edit its files, but can’t run commands here.')}
        </p>
      )}
      {model.chosen === null
        ? lazy !== null && <lazy.SetupOffers />
        : lazy !== null && <lazy.Suggestions isDemo={model.chosen.isDemo} canLook={model.chosen.tools !== false} />}
      {model.chosen?.warnings.map((warning) => (
        <p class="empty-note" key={warning}>
          {warning}
        </p>
      ))}
      {lazy !== null && <lazy.RecentSessions sessions={recentSessions} />}
      <p class="empty-note">
        <LinkButton label={t('Get Started with Hermes')} act={() => chat.runAction('getStarted')} />
      </p>
    </div>
  );
}
