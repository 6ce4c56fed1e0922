import type { NamedRisk } from '../../../protocol/transcriptTypes';
import { t } from '../../localization';

/** Returns the effect of a command that people fear as one short sentence without a period. */
export function riskText({ kind, target }: NamedRisk): string {
  switch (kind) {
    case 'deletes':
      return t('Deletes files');
    case 'discards':
      return t('Discards changes that are not committed or merged');
    case 'rewrites':
      return target === undefined
        ? t('Overwrites or removes commits')
        : t('Overwrites or removes commits on {remote}', { remote: target });
    case 'publishes':
      return target === undefined ? t('Publishes to others') : t('Pushes to {remote}', { remote: target });
    case 'downloads':
      return t('Downloads and runs code');
    case 'uploads':
      return target === undefined
        ? t('Sends files or commands to another machine')
        : t('Sends files or commands to {host}', { host: target });
    case 'rights':
      return target === undefined ? t('Runs as root') : t('Runs as the user {user}', { user: target });
    case 'installs':
      return t('Changes packages outside this project');
    case 'machine':
      return t('Changes this machine’s disks, services, processes, or permissions');
    case 'live':
      return t('Changes services, databases, or containers');
  }
}
