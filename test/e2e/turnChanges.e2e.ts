import fs from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { reply, type Reply } from '../support/modelServer';
import { waitFor, write } from '../support/vscode';
import type { ChatPanel } from './chatPanel';
import { ApprovalCard } from './workPanel';
import { picturesIn, scriptedVscode } from './scriptedVscode';

type Files = Readonly<Record<string, string | null>>;

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');
/** Contents in latin1, so that each byte counts; null: there is no file. */
const original: Files = {
  'plain.txt': lines(30),
  'windows.txt': '\xef\xbb\xbffirst\r\nsecond\r\nthird',
  'gone.txt': 'gone soon\n',
  'made.txt': null,
};

const { server, vscode, open, query, ask, refused } = await scriptedVscode({
  settings: { 'hermes.terminal.sandbox': 'off' },
  viewport: { width: 1400, height: 900 },
});
const picture = picturesIn('turn-changes');
let panel: ChatPanel;
let folder: string;

beforeAll(async () => {
  panel = await open();
});

beforeEach(async () => {
  folder = vscode().sampleFolder();
  for (const [name, content] of Object.entries(original)) {
    const file = path.join(folder, name);
    if (content === null) fs.rmSync(file, { force: true });
    else fs.writeFileSync(file, content, 'latin1');
  }
  await panel.workbench.runCommand('View: Close All Editors');
  await panel.newSession();
  return () => expect({ unplayed: server.unplayed, refused: refused() }).toEqual({ unplayed: 0, refused: [] });
});

const onDisk = (): Files =>
  Object.fromEntries(
    Object.keys(original).map((name) => {
      const file = path.join(folder, name);
      return [name, fs.existsSync(file) ? fs.readFileSync(file, 'latin1') : null];
    }),
  );
const untilOnDisk = (what: string, wanted: Files): Promise<unknown> =>
  waitFor(what, () => isDeepStrictEqual(onDisk(), wanted), { seen: onDisk });

/** A turn that makes these changes, which the user allows on one card. */
async function turn(prompt: string, changes: Reply, card: string, button: string): Promise<void> {
  const answer = `Done: ${prompt}`;
  server.script(changes, reply().says(answer));
  await panel.send(prompt);
  await (await ApprovalCard.asks(panel, card)).press(button);
  await panel.answered(answer);
}

test('Review Changes of Turns… opens what the selected turns changed, and nothing else', async () => {
  await turn(
    'Spell out three.',
    reply().calls('edit_file', { path: 'plain.txt', old_text: 'line 3\n', new_text: 'line three\n' }),
    'Edit plain.txt?',
    'Allow',
  );
  await turn(
    'Shout.',
    reply().calls('edit_file', { path: 'windows.txt', old_text: 'second', new_text: 'SECOND' }),
    'Edit windows.txt?',
    'Allow',
  );
  await turn(
    'Make and remove.',
    reply()
      .calls('write_file', { path: 'made.txt', content: 'brand new\n' })
      .calls('apply_patch', { patch: '*** Begin Patch\n*** Delete File: gone.txt\n*** End Patch' }),
    'Create made.txt?',
    'Allow All (2)',
  );

  const field = await panel.workbench.openPick(
    'Hermes: Review Changes… › Review Changes of Turns',
    /Select the turns to review together/,
  );
  const rows = panel.workbench.page.locator('.quick-input-list .monaco-list-row');
  await rows.nth(2).waitFor();
  const offered = await rows.evaluateAll((items) => items.map((item) => item.getAttribute('aria-label') ?? ''));
  // Its name and the names of its files are looked for.
  await write(field, 'gone.txt');
  await rows.nth(1).waitFor({ state: 'detached' });
  await rows.first().locator('.monaco-checkbox').click();
  await write(field, '');
  await rows.nth(2).locator('.monaco-checkbox').click();
  await picture(panel, 'turn-picker');
  await field.press('Enter');
  await waitFor('the review', async () => (await panel.workbench.tabs()).includes('Changes of 2 Turns (3 files)'), {
    seen: () => panel.workbench.tabs(),
  });
  const heads = panel.workbench.page.locator('.multiDiffEntry .file-path .title.modified .label-name');
  const shownFiles = async (): Promise<readonly string[]> =>
    [...new Set(await heads.allInnerTexts())]
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .sort();
  await waitFor('three files', async () => (await shownFiles()).length >= 3, { seen: shownFiles });
  for (const text of [/^line\s3$/, 'line three', 'brand new', 'gone soon'])
    await panel.workbench.page.locator('.multiDiffEntry .view-line', { hasText: text }).first().waitFor();
  await picture(panel, 'two-turns');
  const changes = query(
    'SELECT t.started_at, f.path FROM file_changes f JOIN turns t ON t.uid = f.turn_uid ORDER BY t.started_at, f.path',
  ).map((row) => path.basename(String(row['path'])));
  expect({
    offered: offered.map((label) => label.replace(/,? (?:not )?checked$/, '')),
    files: await shownFiles(),
    shouted: await panel.workbench.page.locator('.multiDiffEntry .view-line', { hasText: 'SECOND' }).count(),
    disk: onDisk(),
    stored: changes,
  }).toEqual({
    offered: [
      expect.stringMatching(/^Make and remove\..*2 files/),
      expect.stringMatching(/^Shout\..*1 file/),
      expect.stringMatching(/^Spell out three\..*1 file/),
    ],
    files: ['gone.txt', 'made.txt', 'plain.txt'],
    shouted: 0,
    disk: {
      'plain.txt': lines(30).replace('line 3\n', 'line three\n'),
      'windows.txt': original['windows.txt']?.replace('second', 'SECOND'),
      'gone.txt': null,
      'made.txt': 'brand new\n',
    },
    stored: ['plain.txt', 'windows.txt', 'gone.txt', 'made.txt'],
  });
});

test('after a rewind with its files, Undo Revert brings each file back; the conversation and what is being typed stay', async () => {
  await ask(panel, 'Hello?', 'Hello.');
  const prompt = 'Change three files.';
  await turn(
    prompt,
    reply()
      .calls('apply_patch', { patch: '*** Begin Patch\n*** Delete File: gone.txt\n*** End Patch' })
      .calls('edit_file', { path: 'windows.txt', old_text: 'second', new_text: 'SECOND' })
      .calls('write_file', { path: 'made.txt', content: 'brand new\n' }),
    'Delete gone.txt?',
    'Allow All (3)',
  );
  const changed: Files = {
    ...original,
    'gone.txt': null,
    'windows.txt': original['windows.txt']?.replace('second', 'SECOND') ?? null,
    'made.txt': 'brand new\n',
  };
  await untilOnDisk('the changes', changed);

  await panel.act(prompt, 'Rewind to Here…');
  await panel.frame
    .getByRole('group', { name: 'Rewind to Here' })
    .getByRole('button', { name: 'Conversation and 3 Files' })
    .click();
  await panel.workbench.waitForToast('Reverted 3 files.');
  await picture(panel, 'rewound');
  await untilOnDisk('the files to be as before', original);
  await panel.composerHas(prompt);
  await panel.composer.press('End');
  await panel.composer.pressSequentially(' Or not.');

  await panel.workbench.clickToast('Undo Revert');
  await untilOnDisk('the files to be back', changed);
  await panel.composerHas(`${prompt} Or not.`);
  await picture(panel, 'revert-undone');
  const rows = (): readonly string[] =>
    query(
      `SELECT content, active, hidden_reason FROM messages WHERE role IN ('user', 'assistant') AND session_id = (SELECT session_id FROM messages WHERE content = 'Hello?') ORDER BY position`,
    ).map((row) => `${row['active'] === 1 ? '' : `${String(row['hidden_reason'])}: `}${String(row['content'])}`);
  const shown = (await panel.messages()).map(({ text }) => text);
  panel = await panel.reload();
  await panel.composerHas(`${prompt} Or not.`);
  server.script(reply().says('I leave it.'));
  await panel.composer.press('Enter');
  await panel.answered('I leave it.');
  expect({
    shown,
    disk: onDisk(),
    sent: server.requests.at(-1)?.outline.filter((line) => /^(?:user|assistant): /.test(line)),
    stored: rows(),
  }).toEqual({
    shown: ['Hello?', 'Hello.'],
    disk: changed,
    sent: ['user: Hello?', 'assistant: Hello.', `user: ${prompt} Or not.`],
    stored: [
      'Hello?',
      'Hello.',
      `rewound: ${prompt}`,
      'rewound: ',
      `rewound: Done: ${prompt}`,
      `${prompt} Or not.`,
      'I leave it.',
    ],
  });
});
