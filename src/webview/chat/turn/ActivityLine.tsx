import { Icon } from '../../Icon';
import { t } from '../../localization';

/** Status line while a session is compressed between two turns. */
export function CompressingLine() {
  return (
    <p class="activity" role="status">
      <Icon name="loading" spin />
      <span>{t('Summarizing earlier messages…')}</span>
    </p>
  );
}
