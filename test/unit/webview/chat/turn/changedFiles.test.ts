// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import type { ChangedFile } from '../../../../../src/transcript/changedFile';
import type { JsonValue } from '../../../../../src/transcript/json';
import type { Message } from '../../../../../src/transcript/message';
import {
  answer,
  call,
  prompt,
  result,
  runningTurn,
  session,
  settledTurn,
  shownSession,
} from '../../../../support/builders/viewMessages';
import { type ChatPage, openChat } from '../chatPage';
import { all, find, nameOf, names, texts } from '../../elements';

let page: ChatPage;

const file = (name: string, change: Partial<ChangedFile> = {}): ChangedFile => ({
  path: `/f/${name}`,
  shown: name,
  kind: 'edited',
  added: 6,
  removed: 2,
  state: 'open',
  ...change,
});
const files = [file('a.ts'), file('b.ts', { kind: 'created', added: 14, removed: 2 })];
const editedFile = {
  kind: 'edit',
  files: [{ path: '/f/a.ts', shown: 'a.ts', change: 'edited', added: 6, removed: 2 }],
  diff: '--- a/a.ts\n+++ b/a.ts\n@@ -1,1 +1,1 @@\n-old\n+new\n',
};

const came = (place: { uid: string; position: number }, callId: string, name: string, details: JsonValue): Message =>
  result(place, callId, name, 'Done.', 'done', details);

const question = prompt({ uid: 'u1', position: 1 }, 'Fix it.');
const rows = [
  question,
  answer({ uid: 'a1', position: 2 }, [call('c1', 'edit_file', { path: 'a.ts' })]),
  came({ uid: 'r1', position: 3 }, 'c1', 'edit_file', editedFile),
  answer({ uid: 'a2', position: 4 }, ['Fixed.']),
];
const done = shownSession({ messages: rows, turns: [settledTurn()], changes: { turn1: files } });

async function open(shown = done, recalled: ConstructorParameters<typeof ChatPage>[0] = {}): Promise<void> {
  page = await openChat(shown, {}, recalled);
}

function within(group: string, name: string): HTMLElement {
  const found = [...find('group', group).querySelectorAll<HTMLElement>('button')].find(
    (button) => nameOf(button) === name,
  );
  if (found === undefined) throw new Error(`There is no "${name}" in ${group}`);
  return found;
}
const textOf = (group: string): string => (find('group', group).textContent ?? '').replace(/\s+/g, ' ');
const review = { turnUid: 'turn1', paths: null, overwrite: false };

describe('the files that a turn changed', () => {
  test('are below it with their actions, all together', async () => {
    await open();
    const words = textOf('Changed files');
    await page.click(within('Changed files', 'Keep'));
    await page.answer('reviewFiles', { sentence: null, conflicts: [] });
    await page.tell('changedFiles', {
      sessionId: session().id,
      turnUid: 'turn1',
      files: files.map((one) => ({ ...one, state: 'kept' as const })),
    });
    expect([words, page.sent('reviewFiles'), textOf('Changed files')]).toEqual([
      '2 files changed+20 −4ReviewKeepRevert',
      [{ ...review, action: 'keep' }],
      '2 files changed+20 −4keptReviewRevert',
    ]);
  });

  test('open to each file, and that to single changes; open ones survive a refresh', async () => {
    await open();
    await page.click(within('Changed files', '2 files changed+20 −4'));
    const items = all('listitem')
      .filter((item) => item.closest('.files-bar') !== null)
      .map((item) => (item.textContent ?? '').replace(/\s+/g, ' '));
    await page.click(within('Changed files', 'a.tsedited+6 −2'));
    await page.answer('fileHunks', [
      { id: 'h1', line: 4, removed: ['old'], added: ['new', 'newer'] },
      { id: 'h2', line: 9, removed: [], added: ['last'] },
    ]);
    await page.settle();
    const hunks = [...document.querySelectorAll('.hunk')].map((hunk) => hunk.textContent?.replace(/\s+/g, ' '));
    await page.press('Revert the change at line 4');
    const { memory } = page;
    const asked = page.sent('reviewHunk');
    page.close();
    await open(done, { ...memory, sessionId: session().id });
    expect([items, hunks, asked, within('Changed files', 'a.tsedited+6 −2').getAttribute('aria-expanded')]).toEqual([
      ['a.tsedited+6 −2', 'b.tscreated+14 −2'],
      ['line 4KeepRevert-old +new +newer ', 'line 9KeepRevert+last '],
      [{ turnUid: 'turn1', path: '/f/a.ts', hunk: 'h1', action: 'revert' }],
      'true',
    ]);
  });

  test('are reviewed all together, for the turn and for the session, whether or not the list is open', async () => {
    await open();
    await page.click(within('Changed files', 'Review'));
    await page.click(within('Changed files', '2 files changed+20 −4'));
    await page.click(within('Changed files', 'Review'));
    await page.click(within('Changed files', 'Review Session Changes'));
    expect(page.sent('openReview')).toEqual([
      { turnUid: 'turn1', session: false },
      { turnUid: 'turn1', session: false },
      { turnUid: 'turn1', session: true },
    ]);
  });

  test('that were reverted can be brought back, together or one by one', async () => {
    const reverted = { state: 'reverted', canUndoRevert: true } as const;
    await open({ ...done, changes: { turn1: [file('a.ts', reverted), file('b.ts', reverted)] } });
    const words = textOf('Changed files');
    await page.click(within('Changed files', 'Undo Revert'));
    await page.answer('undoRevert', { sentence: 'b.ts was changed since.', conflicts: [] });
    const said = all('alert').map(nameOf);
    await page.tell('changedFiles', {
      sessionId: session().id,
      turnUid: 'turn1',
      files: [file('a.ts'), file('b.ts', reverted)],
    });
    const later = textOf('Changed files');
    const row = 'Tool: edit_file a.ts, done';
    const rowWords = textOf(row);
    await page.click(within('Changed files', '2 files changed+12 −4'));
    const [, second] = [...find('group', 'Changed files').querySelectorAll('li')];
    const icon = [...(second?.querySelectorAll('button') ?? [])].find((button) => nameOf(button) === 'Undo Revert');
    if (icon !== undefined) await page.click(icon);
    expect([words, said, later, rowWords, page.sent('undoRevert')]).toEqual([
      '2 files changed+12 −4ReviewReverted 2 files.Undo Revert',
      ['b.ts was changed since.Dismiss'],
      '2 files changed+12 −4ReviewKeepRevertReverted 1 file.Undo Revertb.ts was changed since.Dismiss',
      'Editeda.ts+6 −2ReviewRevert',
      [
        { turnUid: 'turn1', paths: null },
        { turnUid: 'turn1', paths: ['/f/b.ts'] },
      ],
    ]);
  });

  test('that the user changed since are overwritten only after a second press', async () => {
    await open();
    await page.click(within('Changed files', 'Revert'));
    await page.answer('reviewFiles', { sentence: 'a.ts has changed since and stays.', conflicts: ['/f/a.ts'] });
    const said = all('alert').map(nameOf);
    await page.press('Overwrite My Changes…');
    const before = page.sent('reviewFiles').length;
    await page.press('Overwrite My Changes');
    expect([said, before, page.sent('reviewFiles')[1]]).toEqual([
      ['a.ts has changed since and stays.Overwrite My Changes…Keep My Changes'],
      1,
      { turnUid: 'turn1', paths: ['/f/a.ts'], action: 'revert', overwrite: true },
    ]);
  });
});

describe('the row of an edit', () => {
  test('shows the change, opens to its lines, and reverts the file to its state before the turn', async () => {
    await open();
    const row = 'Tool: edit_file a.ts, done';
    const line = textOf(row);
    await page.click(within(row, 'Editeda.ts+6 −2'));
    const lines = [...find('group', row).querySelectorAll('.diff-line')].map((one) => one.textContent?.trim());
    await page.click(within(row, 'Review'));
    await page.click(within(row, 'Revert'));
    await page.answer('reviewFiles', { sentence: null, conflicts: [] });
    await page.tell('changedFiles', {
      sessionId: session().id,
      turnUid: 'turn1',
      files: [file('a.ts', { state: 'reverted', canUndoRevert: true }), files[1] ?? file('b.ts')],
    });
    await page.click(within(row, 'Undo Revert'));
    expect([
      line,
      lines,
      page.sent('openReview'),
      page.sent('undoRevert'),
      page.sent('reviewFiles'),
      textOf(row).includes('reverted'),
    ]).toEqual([
      'Editeda.ts+6 −2ReviewRevert',
      ['1-old', '1+new'],
      [{ turnUid: 'turn1', session: false }],
      [{ turnUid: 'turn1', paths: ['/f/a.ts'] }],
      [{ ...review, paths: ['/f/a.ts'], action: 'revert' }],
      true,
    ]);
  });
});

const endedCommand = {
  kind: 'command',
  command: 'npm test',
  folder: '/f',
  exitCode: 1,
  signal: null,
  ms: 3000,
  bytes: 4,
  file: '/o.log',
  timedOut: false,
  background: null,
  tail: 'no\n',
};

describe('the row of a command', () => {
  const shell = answer({ uid: 'a1', position: 2 }, [call('c1', 'run_command', { command: 'npm test' })]);

  test('shows the end of its output while it runs, and can be stopped or left running alone', async () => {
    await open(
      shownSession({
        messages: [question, shell],
        openTurn: runningTurn(),
        activity: { kind: 'runningTool', callId: 'c1', startedAt: runningTurn().startedAt },
      }),
    );
    await page.event({
      kind: 'toolProgress',
      turnUid: 'turn1',
      callId: 'c1',
      progress: { kind: 'output', file: '/o.log', bytes: 3, tail: 'ok 1\n' },
    });
    const tail = find('region', 'Output').textContent;
    for (const name of ['Continue in Background', 'Stop run_command', 'Open Output']) await page.press(name);
    const target = { sessionId: session().id, callId: 'c1' };
    expect([tail, page.sent('proceedCall'), page.sent('stopCall'), page.sent('openOutput'), page.sent('stop')]).toEqual(
      ['ok 1', [target], [target], [{ file: '/o.log' }], []],
    );
  });

  test('shows how it ended with its last lines, and opens to its output', async () => {
    const ended = { ...endedCommand, tail: 'one\ntwo\n3\n4\n5\nno\n' };
    const failed = result({ uid: 'r1', position: 3 }, 'c1', 'run_command', 'exit code 1', 'failed', ended);
    await open(shownSession({ messages: [question, shell, failed], turns: [settledTurn()] }));
    const row = 'Tool: run_command npm test, failed';
    const line = textOf(row);
    await page.click(within(row, '$npm testexit 1 · 3 s'));
    expect([line, texts('pre', find('group', row))]).toEqual([
      '$npm testexit 1 · 3 sOpen Outputtwo 3 4 5 no',
      ['$ npm test', 'one\ntwo\n3\n4\n5\nno'],
    ]);
  });
});

describe('the row of a confined command', () => {
  test('says of a command that succeeded what the sandbox blocked only once it is opened', async () => {
    const details = { ...endedCommand, sandbox: { stopped: ['write to ~/.npmrc'], takenOut: ['.husky'] } };
    await open(
      shownSession({
        messages: [
          question,
          answer({ uid: 'a1', position: 2 }, [call('c1', 'run_command', { command: 'npm test' })]),
          result({ uid: 'r1', position: 3 }, 'c1', 'run_command', 'ok', 'done', details),
        ],
        turns: [settledTurn()],
      }),
    );
    const folded = texts('.tool-note');
    await page.click(find('group', 'Tool: run_command npm test, done').querySelector('button') ?? document.body);
    expect([folded, texts('.tool-note')]).toEqual([
      ['Removed from the folder: .husky'],
      ['Removed from the folder: .husky', 'Blocked by the sandbox: write to ~/.npmrc Run Without the Sandbox…'],
    ]);
  });

  test('shows what the sandbox blocked and removed, and offers to ask for it without the sandbox', async () => {
    const details = {
      ...endedCommand,
      command: 'npm ci',
      sandbox: { stopped: ['write to ~/.npmrc', 'connect to registry.npmjs.org'], takenOut: ['.husky'] },
    };
    const failed = result({ uid: 'r1', position: 3 }, 'c1', 'run_command', 'exit code 1', 'failed', details);
    await open(
      shownSession({
        messages: [
          question,
          answer({ uid: 'a1', position: 2 }, [call('c1', 'run_command', { command: 'npm ci' })]),
          failed,
        ],
        turns: [settledTurn()],
      }),
    );
    const notes = texts('.tool-note');
    await page.press('Run Without the Sandbox…');
    expect([notes, page.composer.value, page.sent('submit')]).toEqual([
      [
        'Removed from the folder: .husky',
        'Blocked by the sandbox: write to ~/.npmrc, connect to registry.npmjs.org Run Without the Sandbox…',
      ],
      'Run this again without the sandbox: `npm ci`',
      [],
    ]);
  });
});

const toThe = (to: string) => ({ reason: 'rewind', sessionId: session().id, to });

describe('going back in the conversation', () => {
  test('asks about changed files, and sends the choice', async () => {
    await open();
    await page.press('Retry');
    const asked = page.sent('filesFrom');
    await page.answer('filesFrom', files);
    await page.settle();
    const buttons = [...find('group', 'Retry').querySelectorAll('button')].map(nameOf);
    await page.press('Conversation and 2 Files');
    expect([asked, buttons, page.sent('retry'), names('group').includes('Retry')]).toEqual([
      [{ turnUid: 'turn1' }],
      ['Conversation Only', 'Conversation and 2 Files', 'Cancel'],
      [{ turnUid: 'turn1', files: true }],
      false,
    ]);
  });

  test('does not ask when all of them are already reverted', async () => {
    await open({ ...done, changes: { turn1: files.map((one) => ({ ...one, state: 'reverted' as const })) } });
    await page.press('Retry');
    expect([page.sent('filesFrom'), page.sent('retry')]).toEqual([[], [{ turnUid: 'turn1' }]]);
  });

  test.each([
    ['Rewind', () => page.press('Rewind to Here…'), 'switchSession', { target: { ...toThe('u1'), files: true } }],
    [
      '/undo',
      async () => {
        await page.type('/undo');
        await page.key('Escape');
        page.composer.focus();
        await page.key('Enter');
      },
      'switchSession',
      { target: { ...toThe('u1'), files: true } },
    ],
    [
      'Edit & Resend',
      async () => {
        await page.press('Edit & Resend');
        await page.fill(find('textbox', 'Edit prompt'), 'Fix it better.');
        await page.press('Resend');
      },
      'editAndResend',
      { turnUid: 'turn1', text: 'Fix it better.', uid: 'uid1', files: true },
    ],
  ])('by %s asks as well, and waits for the choice', async (_how, begin, name, payload) => {
    await open();
    await begin();
    await page.answer('filesFrom', files);
    await page.settle();
    const early = page.sent(name);
    await page.press('Conversation and 2 Files');
    expect([early, page.sent(name)]).toEqual([[], [payload]]);
  });
});

describe('the progress of an agent', () => {
  test('shows its todo list above the composer, in one line until it is opened', async () => {
    const items = [
      { text: 'Find it', state: 'done' },
      { text: 'Fix it', state: 'active' },
      { text: 'Test it', state: 'pending' },
    ];
    const wrote = came({ uid: 'r1', position: 3 }, 'c1', 'todo_write', { kind: 'todos', items });
    await open(
      shownSession({
        messages: [question, answer({ uid: 'a1', position: 2 }, [call('c1', 'todo_write', {})]), wrote],
        openTurn: runningTurn(),
      }),
    );
    const closed = names('button').find((name) => name.startsWith('Todos'));
    await page.press('Todos 1/3Fix it');
    const opened = texts('.todos .todo');
    expect([closed, opened]).toEqual(['Todos 1/3Fix it', ['doneFind it', 'in progressFix it', 'to doTest it']]);
  });

  test('shows how many of its steps are used once half of them are', async () => {
    await open(shownSession({ messages: [question], openTurn: runningTurn() }));
    const at = async (iteration: number): Promise<string | undefined> => {
      await page.event({
        kind: 'activity',
        turnUid: 'turn1',
        activity: { kind: 'requesting', elapsedMs: 0, iteration, maxIterations: 90 },
      });
      return document.querySelector('.activity-steps')?.textContent ?? undefined;
    };
    expect([await at(45), await at(46), await at(90)]).toEqual([undefined, 'step 46 of 90', 'step 90 of 90']);
  });

  test('shows which features are off in Restricted Mode', async () => {
    page = await openChat(null, { restricted: true });
    expect(
      names('status').some((words) =>
        words.startsWith('Restricted Mode: Hermes can only read files. Editing, commands, MCP servers'),
      ),
    ).toBe(true);
  });
});
