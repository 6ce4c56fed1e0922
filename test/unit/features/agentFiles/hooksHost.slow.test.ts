import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { HookAnswer, HookEvent } from '../../../../src/agent/turnHooks';
import { systemClock } from '../../../../src/base/clock';
import { silentLog } from '../../../../src/base/log';
import type { PromptSubmission } from '../../../../src/gateway/gateway';
import type { WindowContext } from '../../../../src/host/window/windowContext';
import { foldersPerTest } from '../../../support/filesOnDisk';
import { FolderOnDisk } from '../../../support/folderOnDisk';

/** What the user answers in dialogs, in order, and what they were asked. */
const { person } = vi.hoisted(() => ({ person: { answers: [] as string[], asked: [] as string[], isTrusted: true } }));
vi.mock('vscode', () => ({
  workspace: {
    get isTrusted() {
      return person.isTrusted;
    },
    workspaceFolders: undefined,
  },
  window: {
    showInformationMessage: async (sentence: string) => void person.asked.push(sentence),
    showWarningMessage: async (sentence: string) => {
      person.asked.push(sentence);
      return person.answers.shift();
    },
    showQuickPick: async (items: readonly unknown[]) => items[0],
  },
}));
const { HooksHost } = await import('../../../../src/features/agentFiles/host/hooksHost');

const outside = 'Trust and Run Without the Sandbox';
const folderWith = foldersPerTest();
let folder: string;
/** The hooks of `.claude/settings.json`, by event. Null: the file cannot be read. */
let hooks: Readonly<Record<string, readonly object[]>> | null;
let submitted: PromptSubmission[];
/** Answers of hooks, as they are logged. */
let answers: number;
const kept = new Map<string, unknown>();

beforeEach(() => {
  folder = folderWith({ 'a.ts': '', 'b.ts': '' });
  hooks = {};
  submitted = [];
  answers = 0;
  person.isTrusted = true;
});
afterEach(() => {
  kept.clear();
  person.answers.length = 0;
  person.asked.length = 0;
});

function host(): InstanceType<typeof HooksHost> {
  return new HooksHost({
    project: {
      hookFiles: async () => {
        if (hooks === null) throw new Error('EACCES');
        return [{ path: '.claude/settings.json', text: JSON.stringify({ hooks }), folder, origin: 'folder' }];
      },
    },
    terminal: {
      confinement: { state: async () => ({ kind: 'off' }), isRequired: false },
      environment: async () => ({ PATH: process.env['PATH'] ?? '' }),
      shell: () => ({ kind: 'posix', path: '/bin/sh' }),
    },
    gateway: {
      intake: {
        submit: async (_surface: string, prompt: PromptSubmission) => {
          submitted.push(prompt);
          return { kind: 'queued', sessionId: 's', uid: prompt.uid };
        },
      },
    },
    files: new FolderOnDisk([{ name: 'w', path: folder }]),
    context: {
      workspaceState: {
        get: (key: string) => kept.get(key),
        update: async (key: string, value: unknown) => void kept.set(key, value),
      },
    },
    history: { folder },
    clock: systemClock,
    log: { ...silentLog, info: () => void answers++ },
  } as unknown as WindowContext);
}

const command = (line: string, more: object = {}): object => ({ hooks: [{ type: 'command', command: line, ...more }] });
const edit = (path: string): HookEvent => ({
  name: 'PreToolUse',
  sessionId: 's',
  mode: 'ask',
  call: {
    kind: 'toolCall',
    callId: 'c',
    name: 'edit_file',
    arguments: JSON.stringify({ path, old_text: 'a', new_text: 'b' }),
  },
});
const about = (name: 'SessionStart' | 'SessionEnd', word: string): HookEvent => ({
  name,
  sessionId: 's',
  mode: 'ask',
  about: word,
});

/** Trusts what the file defines now. */
async function trust(its: InstanceType<typeof HooksHost>): Promise<void> {
  person.answers.push(outside);
  await its.review();
}

/** The answer of hooks that the user trusts. */
async function answered(event: HookEvent): Promise<HookAnswer> {
  const its = host();
  await trust(its);
  return its.run(event, new AbortController().signal);
}
const short = ({ decision, reason, runs }: HookAnswer): readonly string[] => [
  decision,
  reason,
  ...runs.map(({ outcome }) => outcome),
];
const marks = (): string => readFileSync(join(folder, 'a.ts'), 'utf8');

describe.skipIf(process.platform === 'win32')('a hook of a window', () => {
  it('runs only after the user trusted exactly its definition, and never in Restricted Mode', async () => {
    const its = host();
    const run = async () => short(await its.run(edit('b.ts'), new AbortController().signal));
    hooks = { PreToolUse: [command('exit 2')] };
    const fresh = await run();
    await trust(its);
    const trusted = await run();
    hooks = { PreToolUse: [command('exit 2 # other')] };
    const other = await run();
    hooks = { PreToolUse: [command('exit 2')] };
    person.isTrusted = false;
    expect({ fresh, trusted, other, restricted: await run(), asked: person.asked.length }).toEqual({
      fresh: ['none', ''],
      trusted: ['deny', 'It gave no reason.', 'blocked'],
      other: ['none', ''],
      restricted: ['none', ''],
      asked: 3,
    });
  });

  it('that hangs, dies, floods or is not there blocks the call that it guards, and no other', async () => {
    const lines = ['sleep 30', 'kill -9 $$', 'yes', 'no-such-program-here; exit 2'];
    const guards = lines.map((line, at) => ({ ...command(line, { timeout: at === 0 ? 1 : 30 }), matcher: 'Edit' }));
    hooks = { PreToolUse: guards };
    const read: HookEvent = {
      ...edit('b.ts'),
      call: { kind: 'toolCall', callId: 'c', name: 'read_file', arguments: '{"path":"b.ts"}' },
    };
    const { decision, runs } = await answered(edit('b.ts'));
    expect({
      decision,
      texts: runs.map(({ outcome, text }) => `${outcome}: ${text}`),
      read: short(await answered(read)),
    }).toEqual({
      decision: 'deny',
      texts: [
        'blocked: It took longer than 1 seconds.',
        'blocked: It was ended by SIGKILL.',
        'blocked: It wrote too much.',
        expect.stringMatching(/^blocked: .*no-such-program-here/),
      ],
      read: ['none', ''],
    });
  });

  it('sees the input that another one put in its place, also when it had let the first one pass', async () => {
    const changes = `echo '{"hookSpecificOutput":{"updatedInput":{"file_path":"b.ts"}}}'`;
    hooks = { PreToolUse: [command(changes), command('grep -q b.ts && { echo Not b. >&2; exit 2; }; exit 0')] };
    const { decision, reason } = await answered(edit('a.ts'));
    expect([decision, reason]).toEqual(['deny', 'Not b.']);
  });

  it('blocks while a file that its command names is not the trusted one, and while the files cannot be read', async () => {
    const its = host();
    const run = async () => short(await its.run(edit('b.ts'), new AbortController().signal));
    writeFileSync(join(folder, 'guard.sh'), 'exit 2');
    hooks = { PreToolUse: [command('sh guard.sh')] };
    await trust(its);
    writeFileSync(join(folder, 'guard.sh'), 'exit 0');
    const changed = await run();
    hooks = null;
    const unread = await run();
    const { rows } = await its.report();
    hooks = { PreToolUse: [command('sh guard.sh')] };
    await trust(its);
    expect({ changed, unread, rows, again: await run() }).toEqual({
      changed: ['deny', expect.stringContaining('It has changed since you trusted it.'), 'blocked'],
      unread: ['deny', expect.stringContaining('EACCES'), 'blocked'],
      rows: [['', '', expect.stringContaining('EACCES')]],
      again: ['none', '', 'passed'],
    });
  });

  it('ends with the turn that it guards', async () => {
    const its = host();
    hooks = { PreToolUse: [command('sleep 30')] };
    await trust(its);
    const stop = new AbortController();
    const running = its.run(edit('b.ts'), stop.signal);
    setTimeout(() => stop.abort(new Error('stopped')), 100);
    expect(short(await running)).toEqual(['deny', 'The turn was stopped.', 'blocked']);
  });

  it('runs at the source that its matcher means, and no other', async () => {
    hooks = { SessionStart: [{ ...command('echo resumed'), matcher: 'resume' }, command('echo always')] };
    const its = host();
    await trust(its);
    const contexts = await Promise.all(
      ['startup', 'resume'].map(
        async (word) => (await its.run(about('SessionStart', word), new AbortController().signal)).context,
      ),
    );
    expect(contexts).toEqual(['always', 'resumed\n\nalways']);
  });

  it('at the end of an answer adds its objection as a prompt, at most eight times in a row', async () => {
    hooks = { Stop: [command('cat >> a.ts; echo Go on. >&2; exit 2')] };
    const its = host();
    await trust(its);
    for (let turn = 0; turn < 10; turn++) {
      its.afterTurn({ surfaceId: 'panel', sessionId: 's', promptUid: submitted.at(-1)?.uid ?? 'mine' });
      await vi.waitFor(() => expect(answers).toBe(turn + 1));
      // What follows from the answer has happened.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    expect([
      submitted.length,
      JSON.stringify(submitted[0]?.parts),
      marks().split('"stop_hook_active":true').length,
    ]).toEqual([8, expect.stringContaining('Go on.'), 10]);
  });

  it('is told that the user is asked, and that the window closes; one that hangs does not hold the window up', async () => {
    hooks = {
      Notification: [command('cat >> a.ts')],
      SessionEnd: [command('echo ended >> a.ts'), command('sleep 30')],
    };
    const its = host();
    await trust(its);
    await its.run(about('SessionStart', 'startup'), new AbortController().signal);
    const request = { tool: 'run_command', access: { kind: 'fetch', url: 'https://a' }, subject: 'ls' } as const;
    its.asked({ sessionId: 's', request } as never);
    await vi.waitFor(() => expect(marks()).toContain('"notification_type":"permission_prompt"'));
    await its.closing();
    expect(marks().split('ended').length).toBe(2);
  });
});
