import * as vscode from 'vscode';
import { joinSentences } from '../../base/messageText';
import { t, shownList, quoted } from '../../base/translate';
import type { ForgetReport } from '../../gateway/gateway';
import type { Session } from '../../transcript/session';
import { describeError } from '../common/describeError';
import type { LibraryWindow } from './libraryWindow';
import { titleText } from './sessionLabels';

/** Moves sessions into the trash and offers Undo. Sessions already in the trash can only be forgotten, so it asks
 *  about those. */
export async function deleteSessions(chosen: readonly Session[], window: LibraryWindow): Promise<void> {
  const trashed = chosen.filter((session) => session.trashedAt !== null);
  if (trashed.length > 0) await forgetSessions(trashed, window);
  const { gateway, activeChat } = window;
  const surface = activeChat.surfaceId;
  const shown = gateway.surfaces.shownSession(surface);
  const { done, refusals } = await eachOf(
    chosen.filter((session) => session.trashedAt === null),
    (session) => gateway.actions.trash(session.id),
  );
  if (refusals.length > 0) void vscode.window.showWarningMessage(joinSentences(refusals));
  if (done.length === 0) return;
  const undo = t('Undo');
  if ((await vscode.window.showInformationMessage(trashedText(done), undo)) !== undo) return;
  const restored = await eachOf(done, (session) => gateway.actions.restore(session.id));
  if (restored.refusals.length > 0) void vscode.window.showErrorMessage(joinSentences(restored.refusals));
  const back = restored.done.find((session) => session.id === shown);
  if (back !== undefined && gateway.surfaces.shownSession(surface) === null)
    await gateway.switching.switchSession(surface, { reason: 'resume', sessionId: back.id });
}

/** Erases sessions permanently, after explaining what is erased and what stays. */
export async function forgetSessions(chosen: readonly Session[], window: LibraryWindow): Promise<void> {
  const forget = t('Forget');
  const question =
    chosen.length === 1 && chosen[0] !== undefined
      ? t('Permanently delete “{title}”?', { title: titleText(chosen[0]) })
      : t('Permanently delete {count} sessions?', { count: chosen.length });
  const answer = await vscode.window.showWarningMessage(
    question,
    { modal: true, detail: await forgetDetail(chosen, window) },
    forget,
  );
  if (answer !== forget) return;
  const reports: ForgetReport[] = [];
  const { done, refusals, copies } = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: t('Deleting permanently…') },
    async () => {
      const erased = await eachOf(
        chosen,
        async (session) => void reports.push(await window.gateway.actions.forget(session.id)),
      );
      const ids = reports.flatMap(({ sessionIds }) => sessionIds);
      return { ...erased, copies: ids.length === 0 ? [] : (await Promise.all(window.forgetCopies.run(ids))).flat() };
    },
  );
  if (refusals.length > 0) void vscode.window.showWarningMessage(joinSentences(refusals));
  if (done.length === 0) return;
  const left = [...new Set([...reports.flatMap(({ sentences }) => sentences), ...copies])];
  const sentence =
    done.length === 1 && done[0] !== undefined
      ? t('“{title}” was permanently deleted.', { title: titleText(done[0]) })
      : t('{count} sessions were permanently deleted.', { count: done.length });
  if (left.length === 0) void vscode.window.showInformationMessage(sentence);
  else void vscode.window.showWarningMessage(joinSentences([sentence, ...left]));
}

/** Explains what is erased, what stays, and what is out of reach, each in its own paragraph. */
async function forgetDetail(chosen: readonly Session[], { history, settings }: LibraryWindow): Promise<string> {
  const branches = await branchesOf(chosen, history.store);
  const { memoryProvider } = settings.current;
  // Only a provider outside this machine has a copy, and never of a private session.
  const isSent = !['none', 'builtin'].includes(memoryProvider) && !chosen.every((session) => session.private);
  return [
    t(
      'This deletes messages with their earlier versions, turns, queued prompts, drafts, and search entries. You can’t undo this.',
    ),
    ...(branches.length === 0
      ? []
      : [
          t('Branches are separate copies and are not deleted: {titles}.', {
            titles: shownList(branches.map(quoted)),
          }),
        ]),
    ...(isSent
      ? [
          t('Hermes asks {provider} to delete its copy and reports anything that remains.', {
            provider: memoryProvider,
          }),
        ]
      : []),
    t(
      'Hermes also deletes them from its backups, and deletes files it exported them to, unless those were changed or moved.',
    ),
    t('Hermes can’t delete what was sent to the model’s provider, or copies and backups that others made.'),
  ].join('\n\n');
}

/** Titles of branches that were made from these sessions and are not among them, including those in the trash: they
 *  hold copies too. */
async function branchesOf(
  chosen: readonly Session[],
  sessions: LibraryWindow['history']['store'],
): Promise<readonly string[]> {
  const going = new Set(chosen.map(({ conversationId }) => conversationId));
  const trees = await Promise.all(chosen.map((session) => sessions.branchesOf(session.id, true)));
  const staying = trees
    .flat()
    .filter(
      (branch) =>
        branch.parentConversationId !== null &&
        going.has(branch.parentConversationId) &&
        !going.has(branch.conversationId),
    );
  return [...new Map(staying.map((branch) => [branch.conversationId, titleText(branch)])).values()];
}

/** Runs an action for each session. A refusal for one does not stop the others. */
async function eachOf(
  sessions: readonly Session[],
  act: (session: Session) => Promise<void>,
): Promise<{ readonly done: readonly Session[]; readonly refusals: readonly string[] }> {
  const done: Session[] = [];
  const refusals: string[] = [];
  for (const session of sessions) {
    try {
      await act(session);
      done.push(session);
    } catch (error) {
      refusals.push(t('“{title}”: {reason}', { title: titleText(session), reason: describeError(error).sentence }));
    }
  }
  return { done, refusals };
}

function trashedText(sessions: readonly Session[]): string {
  const [only] = sessions;
  if (sessions.length === 1 && only !== undefined)
    return t('“{title}” was moved to the trash.', { title: titleText(only) });
  return t('{count} sessions were moved to the trash.', { count: sessions.length });
}
