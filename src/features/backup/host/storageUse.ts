import * as vscode from 'vscode';
import { systemClock } from '../../../base/clock';
import { untilAborted } from '../../../base/pause';
import { t } from '../../../base/translate';
import { GatewayError } from '../../../gateway/gateway';
import type { CommandTable } from '../../../host/common/commands';
import { messageCount, sessionCount, sizeText } from '../../../host/library/sessionLabels';
import { editorWorkNotice, withProgressWhenLong } from '../../../host/notifications/longWork';
import type { StoreSizes } from '../../../store/requests';
import type { SessionSummary } from '../../../transcript/session';
import type { BackupWindow } from './storeBackups';

const pageSize = 500;
const daySeconds = 86_400;
/** Days without activity that the user can choose. */
const ages = [30, 90, 180, 365];

type UseItem = vscode.QuickPickItem & { readonly run?: () => Promise<void> };

/** Shows what takes the space of the store, and removes sessions that were not used for long. */
export class StorageUse {
  constructor(private readonly window: Pick<BackupWindow, 'history' | 'gateway' | 'opener' | 'sessions' | 'clock'>) {}

  get table(): CommandTable {
    return { showStorageUse: () => this.show() };
  }

  private async show(): Promise<void> {
    const { store, status } = this.window.history;
    await status.settled();
    const sizes = await withProgressWhenLong(
      { clock: systemClock, notice: editorWorkNotice },
      t('Measuring your sessions…'),
      stoppedMeasuring(),
      // Only reads, beside every other call, so a canceled one may finish unseen.
      (signal) => untilAborted(signal, store.storeSizes(), stoppedMeasuring),
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
        run: () => this.window.opener.open(sessionId, null, 'chat'),
      })),
    ];
  }

  /** Lets the user choose an age, and trashes or erases the sessions not used for that long. */
  private async prune(): Promise<void> {
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
    const chosen = await vscode.window.showQuickPick(
      [
        { label: t('Move to Trash'), detail: t('Frees space once the trash is emptied'), way: 'trash' as const },
        { label: t('Delete Permanently…'), detail: t('Frees space now'), way: 'erase' as const },
      ],
      { title: t('Remove Old Sessions'), placeHolder: age.description },
    );
    if (chosen !== undefined) await this.window.sessions[chosen.way](age.sessions);
  }

  /** Sessions that may be removed for each age, without ages that have none. */
  private async pruned(): Promise<readonly { readonly days: number; readonly sessions: readonly SessionSummary[] }[]> {
    const all = [...(await this.everySession('active')), ...(await this.everySession('archived'))];
    const running = new Set(this.window.gateway.turns.running().map(({ sessionId }) => sessionId));
    const now = this.window.clock.now();
    return ages
      .map((days) => ({ days, sessions: prunableSessions(all, running, now - days * daySeconds) }))
      .filter(({ sessions }) => sessions.length > 0);
  }

  private async everySession(state: 'active' | 'archived'): Promise<readonly SessionSummary[]> {
    const found: SessionSummary[] = [];
    for (;;) {
      const page = await this.window.history.store.listSessions({
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

/** A conversation, as far as removing old ones is concerned. */
export interface PrunedConversation {
  readonly id: string;
  /** Conversation that it was branched from or that delegated to it; null for none. */
  readonly parentId: string | null;
  readonly isPinned: boolean;
  /** Has a running or waiting turn, or a queued prompt. */
  readonly isLive: boolean;
  /** Seconds since 1970. */
  readonly lastActiveAt: number;
}

/** Conversations that may be removed: not active since `before`, neither pinned nor live, and not a parent, at any
 *  distance, of one that stays. Pure. */
export function prunableConversations(conversations: readonly PrunedConversation[], before: number): readonly string[] {
  const byId = new Map(conversations.map((conversation) => [conversation.id, conversation]));
  const kept = new Set<string>();
  for (const conversation of conversations) {
    if (!conversation.isPinned && !conversation.isLive && conversation.lastActiveAt < before) continue;
    // Stops at a parent that is already kept, so a cycle ends.
    for (let id: string | null = conversation.id; id !== null && !kept.has(id); id = byId.get(id)?.parentId ?? null)
      kept.add(id);
  }
  return conversations.flatMap(({ id }) => (kept.has(id) ? [] : [id]));
}

function stoppedMeasuring(): GatewayError {
  return new GatewayError('stopped', t('Measuring was canceled.'));
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
