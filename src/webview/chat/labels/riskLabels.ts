import type { NamedRisk } from '../../../protocol/transcriptTypes';
import { t } from '../../localization';

/** Returns the risk of a command as one short sentence without a period. */
export function riskText({ kind, target }: NamedRisk): string {
  switch (kind) {
    case 'forcePush':
      return target === undefined ? t('Force-pushes to a remote') : t('Force-pushes to {remote}', { remote: target });
    case 'push':
      return target === undefined ? t('Pushes to a remote') : t('Pushes to {remote}', { remote: target });
    case 'deletesRemote':
      return target === undefined
        ? t('Deletes branches on a remote')
        : t('Deletes branches on {remote}', { remote: target });
    case 'publishes':
      return t('Publishes a package or release');
    case 'downloadedScript':
      return t('Downloads and runs a script');
    case 'downloadedPackage':
      return t('Downloads and runs a package');
    case 'root':
      return t('Runs as root');
    case 'otherUser':
      return t('Runs as the user {user}', { user: target ?? '' });
    case 'systemPackages':
      return t('Changes the system’s packages');
    case 'globalPackages':
      return t('Changes packages outside this project');
    case 'deletesRecursively':
      return t('Deletes files recursively');
    case 'discardsChanges':
      return t('Discards changes that are not committed or merged');
    case 'deletesUntracked':
      return t('Deletes files that Git doesn’t track');
    case 'rewritesHistory':
      return t('Removes commits from the repository’s history');
    case 'permissions':
      return t('Changes who can access files');
    case 'disk':
      return t('Overwrites a disk');
    case 'endsProcesses':
      return t('Ends running processes');
    case 'shutsDown':
      return t('Shuts down or restarts the machine');
    case 'services':
      return t('Changes system services or scheduled jobs');
    case 'infrastructure':
      return t('Changes deployed services or cloud resources');
    case 'database':
      return t('Deletes data in a database');
    case 'containers':
      return t('Deletes containers, images, or volumes');
    case 'uploads':
      return target === undefined ? t('Uploads files') : t('Uploads files to {host}', { host: target });
    case 'otherMachine':
      return target === undefined
        ? t('Runs commands on another machine')
        : t('Runs commands on {host}', { host: target });
  }
}
