import * as vscode from 'vscode';
import { t, shownList } from '../../../base/translate';
import { openChanges, type ChangedSides } from '../../../host/common/editorFeatures';
import { uriOfPath } from '../../../host/workspace/editorPaths';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { FileEditor } from '../../../tools/files/fileEditor';
import type { ChangedFile } from '../../../transcript/changedFile';
import { answerText } from '../../../transcript/message';
import type { ChangedFiles, ReviewedFile } from '../core/changedFiles';
import { beforeUri } from './beforeFiles';

const pageSize = 200;

/** Turn of a session with the prompt that began it. */
interface PromptedTurn {
  readonly uid: string;
  readonly sessionId: string;
  /** Text of the prompt; empty when it has none. */
  readonly prompt: string;
}

/** Shown turns of a session, the oldest first. Includes the segments before a compression. */
export async function turnsOf(
  store: Pick<SessionStore, 'readTranscript'>,
  sessionId: string,
): Promise<readonly PromptedTurn[]> {
  const turns = new Map<string, PromptedTurn>();
  for (let before: number | undefined; ;) {
    const page = await store.readTranscript({
      sessionId,
      limit: pageSize,
      ...(before === undefined ? {} : { before }),
    });
    for (const turn of page.turns.toReversed()) {
      const prompt = page.messages.find(({ role, turnUid }) => role === 'user' && turnUid === turn.uid);
      const known = turns.get(turn.uid);
      if (known === undefined || prompt !== undefined)
        turns.set(turn.uid, {
          uid: turn.uid,
          sessionId: turn.sessionId,
          prompt: prompt === undefined ? (known?.prompt ?? '') : answerText(prompt.parts),
        });
    }
    before = page.messages[0]?.position;
    if (before === undefined || !page.hasEarlier) return [...turns.values()].toReversed();
  }
}
type TurnItem = vscode.QuickPickItem & { readonly turnUid: string };

/** Opens changes for review: one file in the diff editor; a turn, some turns or a session in the multi-file diff. */
export class ReviewEditors {
  constructor(
    private readonly store: Pick<SessionStore, 'readTranscript' | 'getTurn'>,
    private readonly editor: Pick<FileEditor, 'bytesOnDisk'>,
    private readonly changed: ChangedFiles,
  ) {}

  async openFile(turnUid: string, path: string): Promise<void> {
    const file = (await this.changed.ofTurns([turnUid]))[turnUid]?.find((candidate) => candidate.path === path);
    if (file === undefined) return;
    const title = t('{file} (before the turn ↔ now)', { file: file.shown });
    const now = (await this.isThere(path)) ? uriOfPath(path) : beforeUri(path, null);
    await vscode.commands.executeCommand('vscode.diff', beforeUri(path, turnUid), now, title, { preview: true });
  }

  /** All files that a turn changed. */
  async openTurn(turnUid: string): Promise<void> {
    await this.open(t('Changes of the Turn'), await this.changed.across([turnUid]));
  }

  /** All files of the session's newest turn that changed some. */
  async openLastTurn(sessionId: string | null): Promise<void> {
    const newest = (await this.changedTurns(sessionId)).at(-1);
    if (newest === undefined) return nothingChanged();
    await this.open(t('Changes of the Last Turn'), await this.changed.across([newest.turn.uid]));
  }

  /** All files that the session changed, also in hidden turns and by its sub-agents. */
  async openSession(sessionId: string | null): Promise<void> {
    const [first] = sessionId === null ? [] : await turnsOf(this.store, sessionId);
    if (first === undefined) return nothingChanged();
    await this.open(t('Changes of the Session'), await this.changed.acrossFrom(first.uid));
  }

  async openSessionOf(turnUid: string): Promise<void> {
    await this.openSession((await this.store.getTurn(turnUid))?.sessionId ?? null);
  }

  /** Asks for turns, then opens what they changed together. */
  async pickTurns(sessionId: string | null): Promise<void> {
    const turns = await this.changedTurns(sessionId);
    if (turns.length === 0) return nothingChanged();
    const items = turns.toReversed().map(({ turn, files }): TurnItem => ({
      turnUid: turn.uid,
      label: turn.prompt.replace(/\s+/g, ' ').trim().slice(0, 120) || t('Turn without a prompt'),
      description: filesLabel(files),
      detail: shownList(files.map(({ shown }) => shown)),
    }));
    const picked = await vscode.window.showQuickPick(items, {
      title: t('Review Changes of Turns'),
      placeHolder: t('Select the turns to review together'),
      canPickMany: true,
      matchOnDetail: true,
    });
    if (picked === undefined || picked.length === 0) return;
    await this.open(
      picked.length === 1 ? t('Changes of the Turn') : t('Changes of {count} Turns', { count: String(picked.length) }),
      await this.changed.across(picked.map(({ turnUid }) => turnUid)),
    );
  }

  private async changedTurns(
    sessionId: string | null,
  ): Promise<readonly { readonly turn: PromptedTurn; readonly files: readonly ChangedFile[] }[]> {
    const turns = sessionId === null ? [] : await turnsOf(this.store, sessionId);
    const all = await this.changed.ofTurns(turns.map(({ uid }) => uid));
    return turns.flatMap((turn) => {
      const files = all[turn.uid];
      return files === undefined ? [] : [{ turn, files }];
    });
  }

  private async open(title: string, files: readonly ReviewedFile[]): Promise<void> {
    const sides = await Promise.all(
      files.map(async ({ path, firstTurn }) => ({
        uri: uriOfPath(path),
        before: firstTurn === null ? undefined : beforeUri(path, firstTurn),
        now: (await this.isThere(path)) ? uriOfPath(path) : undefined,
      })),
    );
    // A file that was created and is gone again has no side to show.
    const changes = sides.flatMap(({ uri, before, now }): ChangedSides[] =>
      before === undefined && now === undefined ? [] : [[uri, before, now]],
    );
    if (changes.length === 0) return nothingChanged();
    await openChanges(title, changes);
  }

  private async isThere(path: string): Promise<boolean> {
    return this.editor.bytesOnDisk(path).then(
      (bytes) => bytes !== null,
      // A folder has taken its name.
      () => false,
    );
  }
}

function filesLabel(files: readonly ChangedFile[]): string {
  return files.length === 1 ? t('1 file') : t('{count} files', { count: String(files.length) });
}

function nothingChanged(): void {
  void vscode.window.showInformationMessage(t('No changes to review in this session.'));
}
