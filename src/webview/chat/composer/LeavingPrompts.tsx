import { t } from '../../localization';
import { useLasting } from '../common/timing';
import { Drafts } from '../drafts/drafts';
import { usePart } from '../state/chat';

/** Sent prompts that are not on disk yet and have left the field, so that the user can type the next one. Rarely
 *  visible: storing takes moments. */
export function LeavingPrompts() {
  const leaving = usePart(Drafts).leaving.value;
  const lasting = useLasting(leaving.length > 0, 300);
  if (!lasting) return null;
  return (
    <section class="queue" aria-label={t('Saving')}>
      <h2 class="queue-title">{t('Saving…')}</h2>
      <ul class="queue-list">
        {leaving.map(({ uid, text }) => (
          <li class="queue-item" key={uid}>
            <span class="queue-text" dir="auto" title={text}>
              {text}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
