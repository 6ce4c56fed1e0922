// @vitest-environment happy-dom
import { describe, expect, test, vi } from 'vitest';
import type { Approval, ApprovalRequest } from '../../../../../src/transcript/approval';
import {
  answer,
  call,
  pendingApproval,
  prompt,
  runningTurn,
  shownSession,
  waitingTurn,
} from '../../../../support/builders/viewMessages';
import { type ChatPage, openChat } from '../chatPage';
import { all, find, nameOf, names, texts } from '../../elements';

let page: ChatPage;

const question = prompt({ uid: 'u1', position: 1 }, 'Push it.');
const calls = answer({ uid: 'a1', position: 2 }, [
  call('c0', 'read_file', { path: 'a.ts' }),
  call('c1', 'run_command', { command: 'git push origin fix' }),
  call('c2', 'run_command', { command: 'npm test' }),
]);
const waiting = waitingTurn();
const folder = { path: '/home/me/upload', shown: 'upload', isInside: true };
const command: ApprovalRequest = {
  tool: 'run_command',
  access: { kind: 'run', command: 'git push origin fix', folder, shell: 'posix' },
  subject: 'git push origin fix',
  reasons: ['command'],
  rules: ['run(git push origin fix)', 'run(npm *)'],
  preview: null,
};
const asks = (request: ApprovalRequest = command, callId = 'c1', id = 'ap'): Approval =>
  pendingApproval(request, { callId, id });
const card = (): HTMLElement => {
  const [found] = all('alertdialog');
  if (found === undefined) throw new Error('Nothing is asked');
  return found;
};
const buttons = (): readonly string[] => [...card().querySelectorAll('button')].map(nameOf);
const focused = (): string =>
  document.activeElement === document.body || document.activeElement === null ? '' : nameOf(document.activeElement);

async function asked(request: ApprovalRequest = command): Promise<void> {
  page = await openChat(shownSession({ messages: [question, calls], openTurn: runningTurn() }));
  page.composer.focus();
  await page.event({ kind: 'approvalRequested', turn: waiting, approval: asks(request) });
  await page.settle();
}

describe('a question from the agent', () => {
  test('is above the composer in the words of its kind, with place, reasons and possible answers', async () => {
    await asked();
    expect({
      names: names('alertdialog'),
      subject: card().querySelector('pre')?.textContent,
      text: card().textContent?.includes('In upload'),
      place: card().textContent?.includes('1 of 2'),
      reasons: texts('li', card()),
      buttons: buttons(),
      before: (card().compareDocumentPosition(page.composer) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
      row: names('group').find((name) => name.includes('git push')),
    }).toEqual({
      names: ['Run git push origin fix?'],
      subject: 'git push origin fix',
      text: true,
      place: true,
      reasons: ['Runs with your permissions, not in a sandbox.'],
      buttons: ['Allow Once', 'Allow for Session', 'Deny', 'More Actions…'],
      before: true,
      row: 'Tool: run_command git push origin fix, waiting for approval',
    });
  });

  test.each([
    [
      'in the sandbox, with the hosts',
      { kind: 'inside', hosts: ['registry.npmjs.org', 'a.example'] } as const,
      { kind: 'works' } as const,
      ['In upload · in the sandbox · connects to registry.npmjs.org, a.example'],
      [],
    ],
    [
      'without it, with what the agent says',
      { kind: 'outside', reason: 'It needs\nDocker.' } as const,
      { kind: 'works' } as const,
      ['In upload', 'Outside the sandbox. Agent’s reason: It needs⏎Docker.'],
      [],
    ],
    [
      'where there is none, with why and what helps',
      undefined,
      { kind: 'missing', reason: 'bubblewrap is not installed', remedy: 'Install it.' } as const,
      ['In upload', 'Commands are not sandboxed: bubblewrap is not installed. Install it.'],
      [],
    ],
    [
      'where it is off',
      undefined,
      { kind: 'off' } as const,
      ['In upload', 'Commands are not sandboxed: hermes.terminal.sandbox is off.'],
      [],
    ],
  ])('a command shows where it would run: %s', async (_, confined, sandbox, where, reasons) => {
    page = await openChat(shownSession({ messages: [question, calls], openTurn: runningTurn() }), { sandbox });
    const request: ApprovalRequest = {
      ...command,
      access: {
        kind: 'run',
        command: 'npm ci',
        folder,
        shell: 'posix',
        ...(confined === undefined ? {} : { confined }),
      },
    };
    await page.event({ kind: 'approvalRequested', turn: waiting, approval: asks(request) });
    await page.settle();
    const texts = (selector: string): readonly string[] =>
      [...card().querySelectorAll(selector)].map((line) => line.textContent);
    expect([texts('.approval-where'), texts('.approval-reasons li')]).toEqual([where, reasons]);
  });

  test('can only be allowed once or denied where no rule would allow it', async () => {
    await asked({ ...command, rules: [] });
    expect(buttons()).toEqual(['Allow Once', 'Deny', 'More Actions…']);
  });

  test('names the risks of a command, and says what is not understood; Deny is the default then', async () => {
    const defaults = (): readonly string[] =>
      [...card().querySelectorAll('.card-actions .button:not(.secondary)')].map(nameOf);
    const shown: unknown[] = [];
    for (const risky of [
      { risks: [{ kind: 'rewrites', target: 'origin' }, { kind: 'rights' }] },
      { reasons: ['command', 'unparsed'] },
      { reasons: ['command', 'discards'], risks: [{ kind: 'deletes' }] },
      {},
    ] satisfies readonly Partial<ApprovalRequest>[]) {
      await asked({ ...command, ...risky });
      shown.push([texts('.approval-details li', card()), defaults()]);
      page.close();
    }
    const usual = 'Runs with your permissions, not in a sandbox.';
    expect(shown).toEqual([
      [['Overwrites or removes commits on origin', 'Runs as root', usual], ['Deny']],
      [[usual, 'Hermes couldn’t fully analyze this command.'], ['Deny']],
      [['Deletes files', usual], ['Deny']],
      [[usual], ['Allow Once']],
    ]);
  });

  test('hides nothing: characters in a command or a line that are invisible or reverse its order are written out', async () => {
    const hidden = 'echo ok \u202e# safe\u200b\nrm\u00a0-rf .';
    await asked({ ...command, access: { kind: 'run', command: hidden, folder, shell: 'posix' }, subject: hidden });
    const shown = card().querySelector('pre')?.textContent;
    page.close();
    await asked({
      ...command,
      access: { kind: 'edit', paths: [] },
      subject: 'a.ts',
      preview: '--- a/a.ts\n+++ b/a.ts\n@@ -1,0 +1,1 @@\n+if (admin\u2066) { // \u{1f469}\u200d\u{1f4bb}\n',
    });
    expect([shown, card().querySelector('.diff-added .diff-text')?.textContent]).toEqual([
      'echo ok \\u{202e}# safe\\u{200b}\nrm\\u{a0}-rf .',
      'if (admin\\u{2066}) { // \u{1f469}\u200d\u{1f4bb}\n',
    ]);
  });

  test('hides nothing in the arguments of a tool', async () => {
    await asked({
      ...command,
      access: { kind: 'mcp', server: 's', tool: 't', readOnly: false },
      subject: 's/t',
      preview: '```json\n{ "path": "a\u202etxt.sh" }\n```',
    });
    expect(card().querySelector('.approval-preview')?.textContent).toContain('a\\u{202e}txt.sh');
  });

  test('shows a change as its lines', async () => {
    const paths = [{ path: '/home/me/upload/a.ts', shown: 'a.ts', isInside: true }];
    await asked({
      ...command,
      tool: 'edit_file',
      access: { kind: 'edit', paths },
      subject: 'a.ts',
      reasons: ['change'],
      rules: ['edit(**)'],
      preview: '--- a/a.ts\n+++ b/a.ts\n@@ -1,1 +1,1 @@\n-old\n+new\n',
    });
    const lines = [...card().querySelectorAll('.diff-line')].map((line) => line.textContent?.trim());
    expect([names('alertdialog'), find('region', 'Changes').tabIndex, lines, card().querySelector('li')]).toEqual([
      ['Edit a.ts?'],
      0,
      ['1-old', '1+new'],
      null,
    ]);
  });
});

test('waiting is said by the card alone; without a card the conversation says it', async () => {
  const says = (): boolean => document.body.textContent?.includes('Waiting for you') === true;
  await asked();
  await page.clock.advance(1000);
  await page.settle();
  const withCard = says();
  page = await openChat(shownSession({ messages: [question, calls], openTurn: waiting }));
  await page.clock.advance(1000);
  await page.settle();
  await expect.poll(says).toBe(true);
  expect(withCard).toBe(false);
});

describe('an answer to a question', () => {
  test.each([
    ['Allow Once', { kind: 'allow', scope: 'once' }],
    ['Allow for Session', { kind: 'allow', scope: 'session', rules: command.rules }],
    ['Deny', { kind: 'deny', reason: null }],
  ])('%s is sent once, and the card disappears when it is on disk', async (name, decision) => {
    await asked();
    await page.press(name);
    await page.press(name);
    const meanwhile = names('alertdialog').length;
    await page.answer('decideApproval', null);
    await vi.waitFor(() => expect(focused()).toBe('Message'));
    expect([page.sent('decideApproval'), meanwhile, names('alertdialog')]).toEqual([
      [{ approvalId: 'ap', decision }],
      1,
      [],
    ]);
  });

  test('is given once by a double click, and not by a held key: the next question may be there', async () => {
    await asked();
    const button = find('button', 'Allow Once');
    button.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 2 }));
    card().dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, repeat: true, bubbles: true }));
    await page.settle();
    expect(page.sent('decideApproval')).toEqual([]);
  });

  test('Always… keeps the rules as the user leaves them, here or everywhere', async () => {
    await asked();
    await page.press('More Actions…');
    await page.press('Always…');
    await page.settle();
    const first = focused();
    await page.fill(find('textbox', 'Rule 1'), 'run(git push *)');
    await page.fill(find('textbox', 'Rule 2'), '  ');
    const everywhere = document.querySelector<HTMLInputElement>('input[value=user]');
    if (everywhere === null) throw new Error('There is no choice of scope');
    await page.click(everywhere);
    await page.press('Always Allow');
    expect([first, page.sent('decideApproval')]).toEqual([
      'Rule 1',
      [{ approvalId: 'ap', decision: { kind: 'allow', scope: 'user', rules: ['run(git push *)'] } }],
    ]);
  });

  test('Always… without any rule left cannot be saved', async () => {
    await asked();
    await page.press('More Actions…');
    await page.press('Always…');
    for (const name of ['Rule 1', 'Rule 2']) await page.fill(find('textbox', name), '');
    find('textbox', 'Rule 1').focus();
    await page.key('Enter');
    expect([find('button', 'Always Allow').hasAttribute('disabled'), page.sent('decideApproval')]).toEqual([true, []]);
  });

  test('Deny with Reason… asks why; Escape returns, and Enter denies, with or without a reason', async () => {
    await asked();
    await page.press('More Actions…');
    await page.press('Deny with Reason…');
    await page.settle();
    const field = focused();
    await page.key('Escape');
    const back = [document.activeElement === card(), names('textbox').includes('Reason')];
    await page.press('More Actions…');
    await page.press('Deny with Reason…');
    await page.fill(find('textbox', 'Reason'), ' use a branch ');
    find('textbox', 'Reason').focus();
    await page.key('Enter');
    await page.refuse('decideApproval', 'The disk is full.');
    await page.settle();
    await page.fill(find('textbox', 'Reason'), '');
    find('textbox', 'Reason').focus();
    await page.key('Enter');
    expect([field, back, page.sent('decideApproval'), all('alert').map(nameOf)]).toEqual([
      'Reason',
      [true, false],
      [
        { approvalId: 'ap', decision: { kind: 'deny', reason: 'use a branch' } },
        { approvalId: 'ap', decision: { kind: 'deny', reason: null } },
      ],
      [],
    ]);
  });

  test('that is refused leaves the question in place and shows the reason', async () => {
    await asked();
    await page.press('Allow Once');
    await page.refuse('decideApproval', 'The disk is full.');
    expect([
      names('alertdialog').length,
      all('alert').map(nameOf),
      find('button', 'Allow Once').hasAttribute('disabled'),
    ]).toEqual([1, ['The disk is full.'], false]);
  });
});

const file = (name: string) => ({ path: `/home/me/upload/${name}`, shown: name, isInside: true });
const edit: ApprovalRequest = {
  tool: 'edit_file',
  access: { kind: 'edit', paths: [file('a.ts')] },
  subject: 'a.ts',
  reasons: ['change'],
  rules: ['edit(**)'],
  preview: '--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-old\n+new',
};
const behind = (...names: readonly string[]): ApprovalRequest['together'] =>
  names.map((name) => ({
    callId: `c-${name}`,
    tool: 'edit_file',
    access: { kind: 'edit', paths: [file(name)] },
    subject: name,
    preview: `--- ${name}\n+++ ${name}\n@@ -1 +1 @@\n-old\n+new`,
  }));

describe('an edit', () => {
  test('can be allowed, alone or with every edit of the session', async () => {
    await asked(edit);
    const offered = buttons();
    await page.press('Allow');
    await page.refuse('decideApproval', 'The disk is full.');
    await page.press('More Actions…');
    const onRequest = [buttons(), texts('.card-foot .approval-where')];
    await page.press('Allow All Edits');
    expect([
      offered,
      onRequest,
      page.sent('decideApproval').map((sent) => (sent as { decision: unknown }).decision),
    ]).toEqual([
      ['Open Diff', 'Allow', 'Deny', 'More Actions…'],
      [
        ['Open Diff', 'Allow', 'Deny', 'More Actions…', 'Allow All Edits', 'Deny with Reason…'],
        ['Edit Automatically: Edits files in this workspace without asking. Still asks before running commands.'],
      ],
      [
        { kind: 'allow', scope: 'once' },
        { kind: 'allow', scope: 'once', mode: 'auto' },
      ],
    ]);
  });

  test('can be allowed with those that wait behind it, whose changes open together', async () => {
    await asked({ ...edit, together: behind('b.ts', 'c.ts') ?? [] });
    const named = card().querySelector('.approval-behind > span')?.textContent;
    await page.press('Open All Diffs');
    await page.press('Allow All (3)');
    expect([named, page.sent('openProposals'), page.sent('decideApproval')]).toEqual([
      'Also waiting: b.ts, c.ts',
      [{ approvalId: 'ap' }],
      [{ approvalId: 'ap', decision: { kind: 'allow', scope: 'once', together: true } }],
    ]);
  });

  test.each([['outside'], ['sensitive'], ['dotConfig']] as const)(
    'that is always asked for (%s) cannot switch the session to Edit Automatically',
    async (reason) => {
      await asked({ ...edit, reasons: [reason], rules: [] });
      expect(buttons()).toEqual(['Open Diff', 'Allow Once', 'Deny', 'More Actions…']);
    },
  );
});

describe('a plan', () => {
  const plan: ApprovalRequest = {
    ...command,
    access: { kind: 'plan' },
    subject: 'Plan',
    reasons: ['plan'],
    rules: [],
    preview: '# Do it\n\n1. first',
  };

  test.each([
    ['Start, Ask Before Edits', 'ask'],
    ['Start, Edit Automatically', 'auto'],
  ])('%s starts it in that mode', async (name, mode) => {
    await asked(plan);
    const shown = [names('alertdialog'), card().querySelector('h1')?.textContent, card().querySelector('li')];
    const offered = buttons();
    await page.press(name);
    expect([shown, card().querySelector('pre'), offered, page.sent('decideApproval')]).toEqual([
      [['Ready to start?'], 'Do it', expect.objectContaining({ textContent: 'first' })],
      null,
      ['Start, Ask Before Edits', 'Start, Edit Automatically', 'Keep Planning…'],
      [{ approvalId: 'ap', decision: { kind: 'allow', scope: 'once', mode } }],
    ]);
  });

  test('Keep Planning… asks what to change, with the button or the key', async () => {
    await asked(plan);
    await page.key('Backspace', { ctrlKey: true });
    await page.settle();
    const field = focused();
    await page.key('Escape');
    await page.press('Keep Planning…');
    await page.settle();
    await page.fillAndEnter(find('textbox', 'What to change'), 'Test it first');
    expect([field, page.sent('decideApproval')]).toEqual([
      'What to change',
      [{ approvalId: 'ap', decision: { kind: 'deny', reason: 'Test it first' } }],
    ]);
  });
});

describe('the keyboard', () => {
  test('moves to the card, not to one of its buttons, when the chat has the focus and the user is not typing', async () => {
    await asked();
    const there = document.activeElement === card();
    const enter = await page.key('Enter');
    expect([there, enter.defaultPrevented, page.sent('decideApproval')]).toEqual([true, false, []]);
  });

  test.each([
    ['the user is typing', 'Message', () => page.type('And also')],
    ['words are looked for', 'Find', () => page.key('f', { ctrlKey: true })],
    ['a model is looked for', 'Search Models', () => page.click(find('combobox', 'Model'))],
    [
      'a list is open',
      'Mode',
      async () => {
        find('combobox', 'Mode').focus();
        await page.key('ArrowDown');
      },
    ],
  ])('stays where %s; the question is announced instead', async (_what, name, begin) => {
    page = await openChat(shownSession({ messages: [question, calls], openTurn: runningTurn() }));
    page.composer.focus();
    await begin();
    await page.settle();
    const before = focused();
    await page.event({ kind: 'approvalRequested', turn: waiting, approval: asks() });
    await page.settle();
    expect([before, focused(), all('alert').map(nameOf)]).toEqual([name, name, ['Run git push origin fix?']]);
  });

  test('takes a reason and rules as they are when Enter is pressed, however fast', async () => {
    await asked();
    await page.press('More Actions…');
    await page.press('Deny with Reason…');
    await page.settle();
    await page.fillAndEnter(find('textbox', 'Reason'), 'use a branch');
    await page.refuse('decideApproval', 'The disk is full.');
    await page.settle();
    await page.press('Cancel');
    await page.press('More Actions…');
    await page.press('Always…');
    await page.settle();
    await page.fillAndEnter(find('textbox', 'Rule 2'), 'run(npm test)');
    expect(page.sent('decideApproval')).toEqual([
      { approvalId: 'ap', decision: { kind: 'deny', reason: 'use a branch' } },
      {
        approvalId: 'ap',
        decision: { kind: 'allow', scope: 'workspace', rules: ['run(git push origin fix)', 'run(npm test)'] },
      },
    ]);
  });

  test.each([
    ['Enter', { kind: 'allow', scope: 'once' }],
    ['Backspace', { kind: 'deny', reason: null }],
  ])(
    'decides with Ctrl+%s, but not in the first half second; Escape denies nothing and stops nothing',
    async (key, decision) => {
      await asked();
      await page.key(key, { ctrlKey: true });
      await page.clock.advance(400);
      await page.key(key, { ctrlKey: true });
      const early = page.sent('decideApproval');
      await page.key('Escape');
      const left = focused();
      card().focus();
      await page.clock.advance(200);
      await page.key(key, { ctrlKey: true });
      expect([early, left, names('alertdialog').length, page.sent('stop'), page.sent('decideApproval')]).toEqual([
        [],
        'Message',
        1,
        [],
        [{ approvalId: 'ap', decision }],
      ]);
    },
  );

  test('allows with Ctrl+Enter from the empty composer, and shows the key; the next card waits for half a second again', async () => {
    await asked();
    page.composer.focus();
    await page.key('Enter', { ctrlKey: true });
    const early = page.sent('decideApproval').length;
    await page.clock.advance(600);
    await page.key('Enter', { ctrlKey: true, repeat: true });
    const held = page.sent('decideApproval').length;
    const key = card().querySelector<HTMLElement>('[data-key]')?.dataset['key'];
    const press = await page.key('Enter', { ctrlKey: true });
    await page.answer('decideApproval', null);
    await page.event({ kind: 'approvalRequested', turn: waiting, approval: asks(command, 'c2', 'ap2') });
    await page.settle();
    page.composer.focus();
    await page.key('Enter', { ctrlKey: true });
    expect([early, held, key, press.defaultPrevented, page.sent('decideApproval')]).toEqual([
      0,
      0,
      'Ctrl+Enter',
      true,
      [{ approvalId: 'ap', decision: { kind: 'allow', scope: 'once' } }],
    ]);
  });

  test('allows nothing with Ctrl+Enter from a composer with text', async () => {
    await asked();
    page.composer.focus();
    await page.type('And also');
    await page.clock.advance(600);
    const press = await page.key('Enter', { ctrlKey: true });
    expect([press.defaultPrevented, page.sent('decideApproval'), page.composer.value]).toEqual([false, [], 'And also']);
  });

  test.each<[string, Partial<ApprovalRequest>]>([
    ['a named risk', { risks: [{ kind: 'publishes' }] }],
    ['a text that is not understood', { reasons: ['command', 'unparsed'] }],
    ['a secret', { reasons: ['sensitive'] }],
    ['a command outside the sandbox', { reasons: ['unconfined'] }],
  ])('needs the focus on the card for %s', async (_what, risky) => {
    await asked({ ...command, ...risky });
    await page.clock.advance(600);
    page.composer.focus();
    await page.key('Enter', { ctrlKey: true });
    const fromComposer = page.sent('decideApproval').length;
    const key = card().querySelector('[data-key]');
    card().focus();
    await page.key('Enter', { ctrlKey: true });
    expect([fromComposer, key, page.sent('decideApproval').length]).toEqual([0, null, 1]);
  });

  test('writes into the composer when a letter is typed on the card: no letter decides anything', async () => {
    await asked();
    await page.key('y');
    expect([focused(), page.sent('decideApproval')]).toEqual(['Message', []]);
  });
});

describe('the mode', () => {
  test('of the empty state is separate; Escape closes the list and stops nothing', async () => {
    page = await openChat(null, { newMode: 'plan' });
    const shown = find('combobox', 'Mode').textContent;
    await page.click(find('combobox', 'Mode'));
    find('combobox', 'Mode').focus();
    const escape = await page.key('Escape');
    const closed = names('listbox');
    await page.click(find('combobox', 'Mode'));
    await page.click(all('option')[0] ?? document.body);
    expect([shown, escape.defaultPrevented, closed, page.sent('setMode')]).toEqual([
      'Plan',
      true,
      [],
      [{ sessionId: null, mode: 'ask' }],
    ]);
  });
});
