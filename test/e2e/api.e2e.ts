import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { waitFor, type VscodeSession } from '../support/vscode';
import type { ChatPanel } from './chatPanel';
import { gate } from './gate';
import { numberedWords } from './words';
import { scriptedVscode } from './scriptedVscode';
import { EXTENSION_ID } from './vscodeTest';

/** A line of the log of `test/support/extensions/memory-log`: a call its provider got, or an event of the API. */
interface LogLine {
  readonly window: number;
  readonly agent?: number;
  readonly call?: string;
  readonly event?: string;
  readonly sessionId?: string | null;
  readonly previousSessionId?: string | null;
  readonly parentSessionId?: string | null;
  readonly reason?: string;
  readonly reset?: boolean;
  readonly rewound?: boolean;
  readonly prompt?: string;
  readonly text?: string;
  readonly stopReason?: string;
  readonly isChosen?: boolean;
}

const { server, vscode, open, query } = await scriptedVscode({
  contextWindow: 20_000,
  extensions: ['memory-log'],
  // Slower than any switch: the order of its log is that of its queue.
  env: { HERMES_MEMORY_DELAY: '400' },
  settings: { 'hermes.memory.provider': 'memory-log' },
});
let panel: ChatPanel;

function log(session: VscodeSession = vscode()): readonly LogLine[] {
  const file = path.join(session.globalStorageFolder('hermes-test.memory-log'), 'memory.jsonl');
  // What stands behind the last line break is still being written.
  const lines = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  return lines.map((line): LogLine => JSON.parse(line));
}

/** Sessions as letters, in the order in which they were born, as their file has them. */
function names(): (id: string | null | undefined) => string {
  const ids = query('SELECT id FROM sessions ORDER BY rowid').map((row) => String(row['id']));
  return (id) => (id === null || id === undefined ? '-' : (['A', 'B', 'C', 'D', 'E', 'F', 'G'][ids.indexOf(id)] ?? id));
}

/** What each provider was told, in the order in which agents were made. */
function heard(): readonly (readonly string[])[] {
  const name = names();
  const agents = new Map<string, string[]>();
  for (const { window, agent, call, sessionId, prompt, reason, parentSessionId, reset, rewound } of log()) {
    if (call === undefined || call === 'shutdown') continue;
    const marks = [
      reason,
      reset === true && 'reset',
      rewound === true && 'rewound',
      parentSessionId && `from ${name(parentSessionId)}`,
      prompt,
    ].filter(Boolean);
    const lines = agents.get(`${window} ${agent}`) ?? [];
    agents.set(`${window} ${agent}`, [...lines, [call, name(sessionId), ...marks].join(' ')]);
  }
  return [...agents.values()];
}

/** The switches of the first window. What the second one shows when it comes up may be there before the extension listens. */
function switches(): readonly string[] {
  const [name, lines] = [names(), log()];
  return lines
    .filter(({ event, window }) => event === 'switched' && window === lines[0]?.window)
    .map(
      ({ previousSessionId, sessionId, parentSessionId, reason }) =>
        `${name(previousSessionId)} ${name(sessionId)} ${reason}${parentSessionId ? ` from ${name(parentSessionId)}` : ''}`,
    );
}

const untilLogged = (what: string, holds: (line: LogLine) => boolean, times = 1): Promise<true> =>
  waitFor(what, () => (log().filter(holds).length >= times ? true : undefined));
const untilSynced = (prompt: string): Promise<true> =>
  untilLogged(`"${prompt}" to be remembered`, (line) => line.call === 'sync' && line.prompt === prompt);

/** Sends what is no prompt, and waits for as many switches as there are then. */
async function command(text: string): Promise<void> {
  const before = switches().length;
  await panel.send(text);
  await untilLogged(`${text} to switch`, ({ event }) => event === 'switched', before + 1);
}

async function ask(prompt: string, answer = `About ${prompt}.`): Promise<void> {
  server.script(reply().says(answer).uses({ input: 4000, output: 1500 }));
  await panel.ask(prompt, answer);
}

test('a provider from another extension receives every switch in order, under the right ids, and the API reports each', async () => {
  panel = await open();
  const { workbench } = panel;
  await untilLogged(
    'the provider to be registered',
    ({ event, isChosen }) => event === 'registered' && isChosen === true,
  );
  for (const part of ['first', 'second', 'third']) await ask(`the ${part} part`, numberedWords(part, 1500));
  await command('/branch');
  await ask('in the branch');
  await command('/reset');
  await ask('after the reset');
  const first = query('SELECT id FROM sessions ORDER BY rowid LIMIT 1')[0]?.['id'];
  await command(`/resume ${String(first)}`);
  server.script(reply().says('## Goal\nCounting words.'));
  await panel.send('/compress');
  await panel.frame
    .getByRole('group', { name: 'Compress Session' })
    .getByRole('button', { name: 'Compress', exact: true })
    .click();
  await panel.sees(/Earlier messages summarized, .* → /);
  await ask('behind the summary');
  await command('/undo');
  await command('/new');
  const rest = gate();
  server.script(reply().says('Slowly ').waitsFor(rest.opened).says('done.'));
  await panel.send('in the background');
  await panel.waitForAnswer('the beginning of the slow answer', (text) => text === 'Slowly');
  await command('/new');
  await ask('beside it');
  rest.open();
  await untilSynced('in the background');
  await untilSynced('beside it');
  await untilLogged('the agent left behind to be let go', ({ call }) => call === 'shutdown');
  panel = await panel.reload();
  await untilLogged('the provider to be registered again', ({ event }) => event === 'registered', 2);
  await ask('after the reload');
  await untilSynced('after the reload');

  const name = names();
  const said = log()
    .flatMap(({ event, sessionId, text }) => (event === 'delivered' && name(sessionId) === 'E' ? [text] : []))
    .join('');
  expect({
    heard: heard(),
    switches: switches(),
    said,
    stops: [...new Set(log().flatMap(({ stopReason }) => stopReason ?? []))],
    errors: workbench.errors(),
  }).toEqual({
    heard: [
      [
        'initialize A',
        'sync A the first part',
        'sync A the second part',
        'sync A the third part',
        'switch B branch from A',
        'sync B in the branch',
        'end B',
        'switch C reset reset',
        'sync C after the reset',
        'switch A resume',
        'switch D compression from A',
        'sync D behind the summary',
        'switch D rewind rewound from A',
        'end D',
        'switch E new_session reset',
        'sync E in the background',
        'end E',
      ],
      ['initialize F', 'sync F beside it'],
      ['initialize F', 'sync F after the reload'],
    ],
    switches: [
      '- A new_session',
      'A B branch from A',
      'B - reset',
      '- C reset',
      'C A resume',
      'A D compression from A',
      'D D rewind from A',
      'D - new_session',
      '- E new_session',
      'E - new_session',
      '- F new_session',
    ],
    said: 'Slowly done.',
    stops: ['stop'],
    errors: [],
  });
});

test('its broken listener is named in the log, once per window', async () => {
  const named = (): readonly string[] =>
    vscode()
      .extensionLog(EXTENSION_ID)
      .split('\n')
      .filter((line) => line.includes('This listener is broken.'));
  const warned = await waitFor('both windows to have said it', () => [named()].find((lines) => lines.length >= 2));
  expect([
    warned.length,
    warned.every((line) => line.includes('A listener of another extension for onTurnEvent failed')),
  ]).toEqual([2, true]);
});

test('a provider that is no longer chosen is released, with no work left, and receives nothing more', async () => {
  const before = log().filter(({ call }) => call === 'shutdown').length;
  await vscode().workbenches[0]?.writeUserSettings({
    ...vscode().settings.read(),
    'hermes.memory.provider': 'builtin',
  });
  await untilLogged('the provider to be shut down', ({ call }) => call === 'shutdown', before + 1);
  const told = log().filter(({ call }) => call !== undefined).length;
  await ask('without it');
  expect(log().filter(({ call }) => call !== undefined).length).toBe(told);
});
