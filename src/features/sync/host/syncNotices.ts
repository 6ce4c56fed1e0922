import * as vscode from 'vscode';
import type { Log } from '../../../base/log';
import { t } from '../../../base/translate';
import { GatewayError } from '../../../gateway/gateway';
import type { KeptRemoval } from '../core/syncRound';
import type { SyncStatus, TurnStart } from '../core/syncService';
import { reportFailure } from '../../../host/common/commands';
import type { StoreStatus } from '../../../host/storage/storeStatus';
import type { KnownHistory } from './syncMemory';
import { isOverdue } from './syncLabels';

const topic = 'sync';

/** What sync tells the user without being asked, and what it refuses. */
export class SyncNotices {
  constructor(
    private readonly store: Pick<StoreStatus, 'offer'>,
    private readonly openInChat: (sessionId: string) => Promise<void>,
    private readonly log: Log,
  ) {}

  none(): void {
    this.store.offer(topic, []);
  }

  /** Offers what this user synchronizes on other machines. */
  offerKnown({ name }: KnownHistory, get: () => Promise<void>): void {
    this.offer(
      t('Sessions of “{name}” from your other machines are on your server.', { name }),
      t('Get Sessions'),
      get,
    );
  }

  askForKey(setUp: () => Promise<void>): void {
    this.offer(t('Sync waits for the passphrase of this history.'), t('Set Up Sync'), setUp);
  }

  askForServer(name: string, setUp: () => Promise<void>): void {
    this.offer(
      t('Sync of “{name}” waits: the server of this machine does not have its history.', { name }),
      t('Set Up Sync'),
      setUp,
    );
  }

  /** Loud only when something has waited for more than a day. `now`: seconds since the epoch. */
  update(status: SyncStatus | null, now: number, showStatus: () => Promise<void>): void {
    if (status === null || !isOverdue(status, now)) return this.none();
    const reason = status.failure?.sentence ?? status.refused[0]?.sentence ?? '';
    this.offer(
      t('For more than a day, new messages could not be sent to your server. {reason}', { reason }),
      t('Sync Status…'),
      showStatus,
    );
  }

  private offer(sentence: string, label: string, run: () => Promise<void>): void {
    this.store.offer(topic, [{ sentence, choices: [{ label, run }] }]);
  }

  /** Tells what the server removed without a proof, and where it is here. */
  removed(kept: KeptRemoval, title: string): void {
    void vscode.window.showWarningMessage(removedSentence(kept, title));
  }

  divided(branchId: string, title: string): void {
    const show = t('Show Session');
    const sentence = t('A session was continued here and on another machine. What was added here is now “{title}”.', {
      title,
    });
    // Nobody waits for the answer.
    Promise.resolve(vscode.window.showInformationMessage(sentence, show))
      .then((chosen) => (chosen === show ? this.openInChat(branchId) : undefined))
      .catch((error: unknown) => reportFailure('sync', error, this.log));
  }
}

function removedSentence(kept: KeptRemoval, title: string): string {
  switch (kept) {
    case 'session':
      return t('“{title}” was deleted on another machine or on the server. Here it is in the trash now.', { title });
    case 'copy':
      return t(
        'Parts of “{title}” were removed on another machine or on the server. The session as it was is in the trash.',
        { title },
      );
    case 'refused':
      return t('The server removed parts of “{title}”, and none of your machines did. Here everything stays.', {
        title,
      });
  }
}

/** Throws for a turn that must not begin now. */
export function refuseTurn(start: TurnStart): void {
  if (start.kind === 'leased')
    throw new GatewayError(
      'busy',
      t('{machine} is answering in this session. Wait until it has finished, or branch the session.', {
        machine: start.machine,
      }),
    );
  if (start.kind === 'divided')
    throw new GatewayError(
      'busy',
      t(
        'This session was also continued on another machine. What was added here is now a branch. Send your prompt again.',
      ),
    );
}
