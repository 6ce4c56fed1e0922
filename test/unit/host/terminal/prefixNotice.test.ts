import { describe, expect, it, vi } from 'vitest';
import { Emitter } from '../../../../src/base/disposable';
import { notifyPrefixes } from '../../../../src/host/window/windowChanges';
import type { SandboxState } from '../../../../src/transcript/sandboxState';
import { editor } from '../answeringEditor';

vi.mock('vscode', () => import('../answeringEditor'));

describe('the notice about rules with a star without a sandbox', () => {
  it('is shown once on this machine, when such rules first count', () => {
    const remembered = new Map<string, unknown>();
    const settings = { current: { approvals: { matchesPrefixes: false } } };
    const changes = new Emitter<void>();
    const terminal = { sandboxState: null as SandboxState | null, onDidChangeSandbox: changes.event };
    const globalState = {
      get: (key: string) => remembered.get(key),
      update: async (key: string, value: unknown) => void remembered.set(key, value),
    };
    const missing: SandboxState = { kind: 'missing', reason: '', remedy: '' };
    const shown: number[] = [];
    const becomes = (matchesPrefixes: boolean, state: SandboxState | null): void => {
      settings.current = { approvals: { matchesPrefixes } };
      terminal.sandboxState = state;
      changes.fire();
      shown.push(editor.shown.length);
    };
    const notices = notifyPrefixes({ settings, terminal, context: { globalState } });
    becomes(true, null);
    becomes(true, { kind: 'works' });
    becomes(false, missing);
    becomes(true, missing);
    becomes(true, missing);
    notices.dispose();
    // Another window.
    notifyPrefixes({ settings, terminal, context: { globalState } });
    becomes(true, { kind: 'off' });
    expect(shown).toEqual([0, 0, 0, 1, 1, 1]);
  });
});
