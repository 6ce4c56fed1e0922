import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { NotWatched } from '../../../../src/tools/files/changes/snapshot';
import type { SandboxState } from '../../../../src/transcript/sandboxState';
import type { TerminalDeps } from '../../../../src/tools/terminal/commandRun';
import { terminalTools } from '../../../../src/tools/terminal/runCommandTool';
import type { ConfinedEnd } from '../../../../src/tools/sandbox/confinement';
import { TerminalWorld } from '../../../support/terminalWorld';
import { aToolCall } from '../../../support/toolCalls';

interface Asked {
  readonly command: string;
  readonly hosts: readonly string[];
}

let world: TerminalWorld;
afterEach(() => world.dispose());

const works: SandboxState = { kind: 'works' };

/** A stand-in for the operating system: it runs the command as it is, with a word in front, and tells what it is said to have stopped. */
function confining(
  asked: Asked[],
  over: Partial<TerminalDeps['confinement']> = {},
  end: Partial<ConfinedEnd> = {},
  danger: AbortSignal = new AbortController().signal,
): TerminalDeps['confinement'] {
  return {
    isRequired: false,
    hasLeftovers: false,
    state: () => Promise.resolve(works),
    confine: (command, shell, { hosts }) => {
      asked.push({ command, hosts });
      return Promise.resolve({
        program: shell,
        args: ['-c', `echo inside; ${command}`],
        danger,
        stopped: () => Promise.resolve([]),
        unreadIn: (output) => (output.includes('.env') ? ['read .env'] : []),
        ended: () =>
          Promise.resolve({ stopped: [], takenOut: [], aside: '', left: [], wasEnded: danger.aborted, ...end }),
      });
    },
    ...over,
  };
}

describe('a command where commands are confined', () => {
  it('runs inside, with the hosts it names', async () => {
    const asked: Asked[] = [];
    world = new TerminalWorld({ confinement: confining(asked) });
    expect(await world.run('echo hi', { hosts: [' Registry.npmjs.org ', 'a.example', 'a.example'] })).toBe(
      'done: Exit code 0 after <time> in the open folder.\n\ninside\nhi',
    );
    expect(asked).toEqual([{ command: 'echo hi', hosts: ['a.example', 'registry.npmjs.org'] }]);
  });

  it('shows in its question where it would run', async () => {
    world = new TerminalWorld({ confinement: confining([]) });
    const access = async (input: object): Promise<unknown> => {
      const bound = terminalTools(world.deps)[0]?.bind(input);
      return bound?.kind === 'ready' ? (await bound.asks?.(new AbortController().signal))?.access : bound;
    };
    expect([
      await access({ command: 'a', hosts: ['x.example'] }),
      await access({ command: 'a', without_sandbox: 'Docker', hosts: ['x.example'] }),
    ]).toEqual([
      expect.objectContaining({ confined: { kind: 'inside', hosts: ['x.example'] } }),
      expect.objectContaining({ confined: { kind: 'outside', reason: 'Docker' } }),
    ]);
    expect(await access({ command: 'a', hosts: ['127.0.0.1'] })).toMatchObject({ kind: 'invalid' });
  });

  it('runs only with a checkpoint where one was promised to restore what it discards', async () => {
    const needed: unknown[] = [];
    let isThere = true;
    world = new TerminalWorld({
      confinement: confining([]),
      discards: (command, { path }) =>
        command.startsWith('rm') ? { kind: 'files', paths: [join(path, 'x')], tree: null } : { kind: 'nothing' },
      checkpoint: {
        restores: (folder, { paths }) => Promise.resolve(isThere && paths[0] === join(folder, 'x')),
        around: async (_call, _folder, run, isNeeded) => {
          needed.push(isNeeded);
          if (isNeeded === true && command === 'rm -f y') throw new NotWatched('it is full');
          return { value: await run(), changed: [], note: null };
        },
      },
    });
    let command = 'rm -f x';
    const asked = async (): Promise<unknown> => {
      const bound = terminalTools(world.deps)[0]?.bind({ command });
      return bound?.kind === 'ready' ? (await bound.asks?.(new AbortController().signal))?.access : bound;
    };
    expect(await asked()).toMatchObject({ confined: { kind: 'inside', isRestorable: true } });
    await world.run(command);
    command = 'rm -f y';
    expect(await world.run(command)).toBe(
      'failed: Nothing was run: the command may discard files, and these could not be saved first (it is full). ' +
        'Call the tool again; the person is then asked.',
    );
    isThere = false;
    expect(await asked()).toMatchObject({ confined: { kind: 'inside', hosts: [] } });
    await world.run('echo hi');
    expect(needed).toEqual([true, true, false]);
  });

  it('runs outside only if that was requested', async () => {
    const asked: Asked[] = [];
    world = new TerminalWorld({ confinement: confining(asked) });
    expect([await world.run('echo hi', { without_sandbox: 'Docker' }), asked]).toEqual([
      'done: Exit code 0 after <time> in the open folder.\n\nhi',
      [],
    ]);
  });

  it('lists blocked accesses and removed files in its row', async () => {
    world = new TerminalWorld({
      confinement: confining(
        [],
        {},
        { stopped: ['write to ~/x', 'connect to b.example'], takenOut: ['.husky'], aside: '/kept' },
      ),
    });
    const output = await world.call('run_command', { command: 'exit 3' });
    expect(output.text).toMatch(
      /^Exit code 3 after [\d.]+ s in the open folder\. It ran in the sandbox, which kept it from this: write to ~\/x; connect to b\.example\. Name hosts .* The person is asked then\. While it ran, \.husky appeared, which only the person may allow; that was taken out again and is kept in \/kept\./,
    );
    expect(output.details).toMatchObject({
      sandbox: { stopped: ['write to ~/x', 'connect to b.example'], takenOut: ['.husky'] },
    });
  });

  it('is killed when something appears that makes Git run a program, and the model is told why', async () => {
    const danger = new AbortController();
    world = new TerminalWorld({
      confinement: confining([], {}, { takenOut: ['src/.git/config'], aside: '/kept' }, danger.signal),
    });
    world.running.onDidStart(({ process }) => process.onOutput(() => danger.abort()));
    expect(await world.run('sleep 1000')).toMatch(
      /^failed: Ended by signal SIGKILL after <time> in the open folder\. It was ended at once: .* src\/\.git\/config appeared/,
    );
  });

  it('names what could not be taken out', async () => {
    world = new TerminalWorld({ confinement: confining([], {}, { left: ['.vscode'] }) });
    expect(await world.run('true')).toContain(
      '.vscode could not be checked or taken out. The person is asked about every command until that is gone.',
    );
  });

  it('says in its question that an earlier one left something; the answer holds if that is removed meanwhile', async () => {
    const confinement = confining([]);
    const state = { hasLeftovers: true };
    world = new TerminalWorld({
      confinement: Object.defineProperty({ ...confinement }, 'hasLeftovers', { get: () => state.hasLeftovers }),
    });
    const bound = terminalTools(world.deps)[0]?.bind({ command: 'true' });
    if (bound?.kind !== 'ready') throw new Error('not bound');
    const asks = await bound.asks?.(new AbortController().signal);
    state.hasLeftovers = false;
    const { outcome } = await bound.run(new AbortController().signal, aToolCall());
    expect([asks?.access, outcome]).toEqual([
      expect.objectContaining({ confined: { kind: 'inside', hosts: [], hasLeftovers: true } }),
      'done',
    ]);
  });

  it('lists what it mentions and could not read, when it failed', async () => {
    world = new TerminalWorld({ confinement: confining([]) });
    expect((await world.call('run_command', { command: 'echo no .env; exit 1' })).details).toMatchObject({
      sandbox: { stopped: ['read .env'] },
    });
    expect((await world.call('run_command', { command: 'echo .env is fine' })).details).toMatchObject({
      sandbox: { stopped: [] },
    });
  });

  it('does not run when the sandbox cannot confine it, and its output is released', async () => {
    world = new TerminalWorld({
      confinement: confining([], { confine: () => Promise.reject(new Error('too many files')) }),
    });
    expect(await world.run('touch made')).toBe(
      'failed: The command could not be started: the sandbox does not hold it (too many files).',
    );
    expect(existsSync(join(world.project, 'made'))).toBe(false);
  });

  it('does not run when the sandbox is lost while the question is open', async () => {
    let state: SandboxState = works;
    world = new TerminalWorld({ confinement: confining([], { state: () => Promise.resolve(state) }) });
    const bound = terminalTools(world.deps)[0]?.bind({ command: 'touch made' });
    if (bound?.kind !== 'ready') throw new Error('not bound');
    await bound.asks?.(new AbortController().signal);
    state = { kind: 'missing', reason: 'it is gone', remedy: '' };
    const { outcome, text } = await bound.run(new AbortController().signal, {
      callId: 'c',
      turnUid: 't',
      conversationId: 'v',
    } as never);
    expect([outcome, text.includes('Nothing was run.'), existsSync(join(world.project, 'made'))]).toEqual([
      'failed',
      true,
      false,
    ]);
  });

  it('does not run at all when it must be confined and cannot be', async () => {
    world = new TerminalWorld({
      confinement: confining([], {
        isRequired: true,
        state: () => Promise.resolve({ kind: 'missing', reason: 'bubblewrap is not installed', remedy: 'Install it.' }),
      }),
    });
    const inside = new TerminalWorld({ confinement: confining([], { isRequired: true }) });
    expect([await inside.run('echo hi'), await inside.run('echo hi', { without_sandbox: 'Docker' })]).toEqual([
      'done: Exit code 0 after <time> in the open folder.\n\ninside\nhi',
      'failed: Commands may only run in the sandbox here (hermes.terminal.sandbox), and this one asked to run without. Nothing was run.',
    ]);
    await inside.dispose();
    writeFileSync(join(world.project, 'a'), '');
    expect(await world.run('rm a')).toBe(
      'failed: Commands may only run in the sandbox here (hermes.terminal.sandbox), and there is none: bubblewrap is not installed. Install it. Nothing was run.',
    );
    expect(existsSync(join(world.project, 'a'))).toBe(true);
  });
});
