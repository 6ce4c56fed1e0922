import type { Clock } from '../../../base/clock';
import * as vscode from 'vscode';
import type { GatewayPart } from '../../../gateway/conversationGateway';
import { systemClock } from '../../../base/clock';
import { t } from '../../../base/translate';
import { GatewayError } from '../../../gateway/gateway';
import { prunableConversations } from '../core/pruningRule';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { StoreSizes } from '../../../store/requests';
import type { Session, SessionSummary } from '../../../transcript/session';
import type { CommandTable } from '../../../host/common/commands';
import { editorWorkNotice } from '../../../host/notifications/editorWorkNotice';
import { withProgressWhenLong } from '../../../host/notifications/longWork';
import { messageCount, sessionCount, sizeText } from '../../../host/library/sessionLabels';

export interface StorageUseDeps {
  readonly sessions: Pick<SessionStore, 'storeSizes' | 'listSessions'>;
  readonly gateway: GatewayPart<'turns', 'running'>;
  readonly settled: () => Promise<void>;
  readonly clock: Pick<Clock, 'now'>;
  readonly openInChat: (sessionId: string) => Promise<void>;
  /** Moves sessions to the trash and offers Undo. */
  readonly trash: (sessions: readonly Session[]) => Promise<void>;
  /** Asks, then erases sessions for good. */
  readonly erase: (sessions: readonly Session[]) => Promise<void>;
}

const pageSize = 500;
const daySeconds = 86_400;
/** Days without activity that the user can choose. */
const ages = [30, 90, 180, 365];

type UseItem = vscode.QuickPickItem & { readonly run?: () => Promise<void> };

/** Shows what takes the space of the store, and removes sessions that were not used for long. */
export class StorageUse {
  constructor(private readonly deps: StorageUseDeps) {}

  get table(): CommandTable {
    return { showStorageUse: () => this.show() };
  }

  private async show(): Promise<void> {
    const { sessions, settled } = this.deps;
    await settled();
    const sizes = await withProgressWhenLong(
      { clock: systemClock, notice: editorWorkNotice },
      t('Measuring your sessions…'),
      stoppedMeasuring(),
      // Only reads, beside every other call, so a canceled one may finish unseen.
      (signal) => Promise.race([sessions.storeSizes(), rejectedBy(signal)]),
    );
    const chosen = await vscode.window.showQuickPick<UseItem>(this.items(sizes), {
      title: t('Storage Use: {size}', { size: sizeText(sizes.fileBytes) }),
      placeHolder: t('Choose a session to open it'),
      matchOnDescription: true,
    });
    await chosen?.run?.();
  }

  private items(sizes: StoreSizes): readonly UseItem[] {
    const remove: UseItem = {
      label: t('Remove Old Sessions…'),
      iconPath: new vscode.ThemeIcon('trash'),
      run: () => this.prune(),
    };
    return [
      remove,
      { label: t('All Sessions'), kind: vscode.QuickPickItemKind.Separator },
      ...totals(sizes).map(({ label, bytes }) => ({ label, description: sizeText(bytes) })),
      { label: t('Sessions'), kind: vscode.QuickPickItemKind.Separator },
      ...sizes.sessions.map(({ sessionId, title, messages, textBytes, imageBytes }) => ({
        label: title ?? t('Untitled Session'),
        description: [
          sizeText(textBytes + imageBytes),
          messageCount(messages),
          ...(imageBytes === 0 ? [] : [t('images: {size}', { size: sizeText(imageBytes) })]),
        ].join(' · '),
        run: () => this.deps.openInChat(sessionId),
      })),
    ];
  }

  /** Lets the user choose an age, and trashes or erases the sessions not used for that long. */
  private async prune(): Promise<void> {
    const { trash, erase } = this.deps;
    const old = await this.pruned();
    if (old.length === 0)
      return void vscode.window.showInformationMessage(
        t('No session can be removed: all are pinned, in use, or were active in the last {count} days.', {
          count: ages[0] ?? 0,
        }),
      );
    const age = await vscode.window.showQuickPick(
      old.map(({ days, sessions }) => ({
        label: t('Not active for {count} days', { count: days }),
        description: sessionCount(sessions.length),
        detail: sessions
          .slice(0, 3)
          .map(({ title }) => title ?? t('Untitled Session'))
          .join(' · '),
        sessions,
      })),
      { title: t('Remove Old Sessions'), placeHolder: t('Pinned sessions and those in use stay') },
    );
    if (age === undefined) return;
    const way = await vscode.window.showQuickPick(
      [
        { label: t('Move to Trash'), detail: t('Frees space once the trash is emptied'), act: trash },
        { label: t('Delete Permanently…'), detail: t('Frees space now'), act: erase },
      ],
      { title: t('Remove Old Sessions'), placeHolder: age.description },
    );
    await way?.act(age.sessions);
  }

  /** Sessions that may be removed for each age, without ages that have none. */
  private async pruned(): Promise<readonly { readonly days: number; readonly sessions: readonly SessionSummary[] }[]> {
    const all = [...(await this.everySession('active')), ...(await this.everySession('archived'))];
    const running = new Set(this.deps.gateway.turns.running().map(({ sessionId }) => sessionId));
    const now = this.deps.clock.now();
    return ages
      .map((days) => ({ days, sessions: prunableSessions(all, running, now - days * daySeconds) }))
      .filter(({ sessions }) => sessions.length > 0);
  }

  private async everySession(state: 'active' | 'archived'): Promise<readonly SessionSummary[]> {
    const found: SessionSummary[] = [];
    for (;;) {
      const page = await this.deps.sessions.listSessions({
        limit: pageSize,
        offset: found.length,
        state,
        includeEmpty: true,
      });
      found.push(...page);
      if (page.length < pageSize) return found;
    }
  }
}

/** Sessions that were not active since `before` (seconds since 1970) and may be removed: neither pinned nor live, nor
 *  the origin of a branch that stays. `running`: sessions with a turn. Pure. */
export function prunableSessions(
  all: readonly SessionSummary[],
  running: ReadonlySet<string>,
  before: number,
): readonly SessionSummary[] {
  const prunable = new Set(
    prunableConversations(
      all.map((session) => ({
        id: session.conversationId,
        parentId: session.branchOf?.conversationId ?? null,
        isPinned: session.pinned,
        isLive:
          running.has(session.id) ||
          session.queuedCount > 0 ||
          session.lastTurn?.state === 'running' ||
          session.lastTurn?.state === 'waiting',
        lastActiveAt: session.lastActiveAt,
      })),
      before,
    ),
  );
  return all.filter(({ conversationId }) => prunable.has(conversationId));
}

function stoppedMeasuring(): GatewayError {
  return new GatewayError('stopped', t('Measuring was canceled.'));
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(stoppedMeasuring()), { once: true });
  });
}

function totals({
  sessions,
  fileContentBytes,
  searchIndexBytes,
  freeBytes,
}: StoreSizes): readonly { readonly label: string; readonly bytes: number }[] {
  const sum = (bytes: (session: StoreSizes['sessions'][number]) => number): number =>
    sessions.reduce((total, session) => total + bytes(session), 0);
  return [
    { label: t('Text'), bytes: sum(({ textBytes }) => textBytes) },
    { label: t('Images'), bytes: sum(({ imageBytes }) => imageBytes) },
    { label: t('Contents of changed files'), bytes: fileContentBytes },
    { label: t('Search index'), bytes: searchIndexBytes },
    { label: t('Unused, taken by the next messages'), bytes: freeBytes },
  ];
}
