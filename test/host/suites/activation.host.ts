import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { EXTENSION_ID } from '../../support/extensionId';

interface Manifest {
  contributes: {
    commands: readonly { command: string }[];
    views: Readonly<Record<string, readonly { id: string }[]>>;
  };
}

function extension(): vscode.Extension<unknown> {
  const found = vscode.extensions.getExtension(EXTENSION_ID);
  assert.ok(found, `${EXTENSION_ID} is not there`);
  return found;
}

suite('Activation', () => {
  test('the extension activates', async () => {
    await extension().activate();
    assert.equal(extension().isActive, true);
  });

  test('every contributed command is registered', async () => {
    await extension().activate();
    const { contributes }: Manifest = extension().packageJSON;
    const registered = new Set(await vscode.commands.getCommands(true));
    const missing = contributes.commands.map(({ command }) => command).filter((command) => !registered.has(command));
    assert.deepEqual(missing, []);
  });

  test('every contributed view can be focused', async () => {
    await extension().activate();
    const { contributes }: Manifest = extension().packageJSON;
    const views = Object.values(contributes.views)
      .flat()
      .map(({ id }) => id);
    assert.notEqual(views.length, 0);
    for (const id of views) await vscode.commands.executeCommand(`${id}.focus`);
  });
});
