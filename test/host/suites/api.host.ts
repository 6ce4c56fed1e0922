import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { HermesApi, HermesExtension, MemoryProvider } from '../../../src/features/api/core/hermes';
import { EXTENSION_ID } from '../../support/extensionId';

async function hermes(): Promise<HermesApi> {
  const extension = vscode.extensions.getExtension<HermesExtension>(EXTENSION_ID);
  assert.ok(extension, 'Hermes is not there');
  return (await extension.activate()).getApi(1);
}

const provider: MemoryProvider = { initialize: () => undefined, syncTurn: () => undefined };
const setting = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('hermes');

suite('The API for other extensions', () => {
  test('has version 1, frozen; another version is refused with a sentence', async () => {
    const api = await hermes();
    const exports: { getApi(version: unknown): unknown } | undefined =
      vscode.extensions.getExtension(EXTENSION_ID)?.exports;
    assert.deepEqual([api.apiVersion, Object.isFrozen(api), Object.isFrozen(api.sessions)], [1, true, true]);
    assert.throws(() => exports?.getApi(2), /This Hermes has version 1 of its API, not 2/);
  });

  test('registers a memory provider, which learns whether the settings name it', async () => {
    const api = await hermes();
    const registration = api.registerMemoryProvider({ name: 'suite', create: () => provider });
    try {
      const before = registration.isChosen;
      await setting().update('memory.provider', 'suite', vscode.ConfigurationTarget.Global);
      const chosen = registration.isChosen;
      assert.throws(() => api.registerMemoryProvider({ name: 'suite', create: () => provider }), {
        name: 'HermesError',
        code: 'invalid',
      });
      assert.deepEqual([before, chosen], [false, true]);
    } finally {
      registration.dispose();
      await setting().update('memory.provider', undefined, vscode.ConfigurationTarget.Global);
    }
    api.registerMemoryProvider({ name: 'suite', create: () => provider }).dispose();
  });
});
