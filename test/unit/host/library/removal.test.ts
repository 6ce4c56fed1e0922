import { describe, expect, it, vi } from 'vitest';
import { GatewayError } from '../../../../src/gateway/gateway';
import { editor } from '../answeringEditor';
import { session } from '../scriptedGateway';
import { forgetSessions } from '../../../../src/host/library/removal';

vi.mock('vscode', () => import('../answeringEditor'));

function removalOf(left: readonly string[]) {
  const copies: (readonly string[])[] = [];
  const window = {
    gateway: {
      actions: {
        forget: async (id: string) => {
          if (id === 'busy') throw new GatewayError('busy', 'Hermes is answering.');
          return { sessionIds: [id, `${id}-helper`], branches: [], sentences: [] };
        },
      },
    },
    history: { store: { branchesOf: async () => [] } },
    settings: { current: { memoryProvider: 'none' } },
    forgetCopies: { run: (ids: readonly string[]) => (copies.push(ids), [Promise.resolve(left)]) },
  };
  return { window: window as never, copies };
}

describe('Forget Session', () => {
  it('erases copies of every session that was erased, and says what is left of them', async () => {
    const { window, copies } = removalOf(['Backups in /disk can’t be reached now.']);
    editor.buttons.push('Forget');
    await forgetSessions([session('one'), session('busy'), session('two')], window);
    expect([copies, editor.shown.at(-1)]).toEqual([
      [['one', 'one-helper', 'two', 'two-helper']],
      '2 sessions were permanently deleted. Backups in /disk can’t be reached now.',
    ]);
  });

  it('touches no copy when the user cancels, or when nothing could be erased', async () => {
    const { window, copies } = removalOf([]);
    editor.buttons.push(undefined, 'Forget');
    await forgetSessions([session('one')], window);
    await forgetSessions([session('busy')], window);
    expect(copies).toEqual([]);
  });
});
