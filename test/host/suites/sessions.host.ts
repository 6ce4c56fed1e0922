import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { EXTENSION_ID } from '../../support/extensionId';

const gone = { sessionId: '20200101_000000_abcdef' };
/** Commands that act on stored sessions, and do nothing but say so when one is gone. */
const onSessions = [
  'openSession',
  'branchSession',
  'branchFromHere',
  'rewindToHere',
  'retry',
  'renameSession',
  'pinSession',
  'unpinSession',
  'archiveSession',
  'unarchiveSession',
  'deleteSession',
  'restoreSession',
  'forgetSession',
  'exportSession',
  'compressSession',
  'openTranscript',
  'stop',
];

interface Menu {
  readonly command: string;
  readonly when?: string;
}

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly menus: Readonly<Record<string, readonly Menu[]>>;
    readonly keybindings: readonly { readonly command: string; readonly key: string; readonly when?: string }[];
  };
}

async function contributes(): Promise<Manifest['contributes']> {
  const extension = vscode.extensions.getExtension(EXTENSION_ID);
  assert.ok(extension, `${EXTENSION_ID} is not there`);
  await extension.activate();
  const manifest: Manifest = extension.packageJSON;
  return manifest.contributes;
}

suite('Sessions', () => {
  test('commands on a missing session end quietly, called from a row, from several, from a page, or by id', async () => {
    await contributes();
    for (const command of onSessions) {
      for (const args of [[gone], [gone, [gone, gone]], [{ ...gone, messageUid: 'm' }], [gone.sessionId]])
        await vscode.commands.executeCommand(`hermes.${command}`, ...args);
    }
  });

  test('all keys except Focus Chat work only in the sessions view, the chat, or an editor with changes to review', async () => {
    const { keybindings } = await contributes();
    assert.deepEqual(
      keybindings.filter(
        ({ command, when }) =>
          command !== 'hermes.focusChat' &&
          !/focusedView == hermes\.|activeWebviewPanelId == '?hermes|hermes\.(inChangedFile|changesToReview)/.test(
            when ?? '',
          ),
      ),
      [],
    );
  });

  test('the view is refreshed and filtered on request', async () => {
    await contributes();
    await vscode.commands.executeCommand('hermes.sessions.focus');
    await vscode.commands.executeCommand('hermes.refreshSessions');
    await vscode.commands.executeCommand('hermes.clearSessionsFilter');
    await vscode.commands.executeCommand('hermes.showMoreSessions', 'archived');
    await vscode.commands.executeCommand('hermes.showMoreSessions', 'nonsense');
  });
});
