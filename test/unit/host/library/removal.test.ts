import { describe, expect, it, vi } from 'vitest';
import { GatewayError } from '../../../../src/gateway/gateway';
import type { RemovalDeps } from '../../../../src/host/library/removal';
import { editor } from '../answeringEditor';
import { session } from '../scriptedGateway';
import { forgetSessions } from '../../../../src/host/library/removal';

vi.mock('vscode', () => import('../answeringEditor'));

function removalOf(left: readonly string[]) {
  const copies: (readonly string[])[] = [];
  const unused = (): never => {
    throw new Error('Forgetting does not need this.');
  };
  const deps: RemovalDeps = {
    gateway: {
      actions: {
        trash: unused,
        restore: unused,
        forget: async (id) => {
          if (id === 'busy') throw new GatewayError('busy', 'Hermes is answering.');
          return { sessionIds: [id, `${id}-helper`], branches: [], sentences: [] };
        },
      },
      surfaces: { shownSession: unused },
      switching: { switchSession: unused },
    },
    sessions: { branchesOf: async () => [] },
    surfaceId: () => 'chat',
    outsideMemory: () => null,
    forgetCopies: async (ids) => (copies.push(ids), left),
  };
  return { deps, copies };
}

describe('Forget Session', () => {
  it('erases copies of every session that was erased, and says what is left of them', async () => {
    const { deps, copies } = removalOf(['Backups in /disk can’t be reached now.']);
    editor.buttons.push('Forget');
    await forgetSessions([session('one'), session('busy'), session('two')], deps);
    expect([copies, editor.shown.at(-1)]).toEqual([
      [['one', 'one-helper', 'two', 'two-helper']],
      '2 sessions were permanently deleted. Backups in /disk can’t be reached now.',
    ]);
  });

  it('touches no copy when the user cancels, or when nothing could be erased', async () => {
    const { deps, copies } = removalOf([]);
    editor.buttons.push(undefined, 'Forget');
    await forgetSessions([session('one')], deps);
    await forgetSessions([session('busy')], deps);
    expect(copies).toEqual([]);
  });
});
