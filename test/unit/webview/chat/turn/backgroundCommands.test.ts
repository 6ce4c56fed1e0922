// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import type { BackgroundCommand } from '../../../../../src/protocol/workProtocol';
import {
  answer,
  afternoon,
  call,
  prompt,
  result,
  settledTurn,
  shownSession,
} from '../../../../support/builders/viewMessages';
import { find } from '../../elements';
import { openChat } from '../chatPage';

const command = (file: string, over: Partial<BackgroundCommand> = {}): BackgroundCommand => ({
  file,
  command: `npm run ${file}`,
  startedAt: afternoon - 125,
  end: null,
  ...over,
});

/** A session whose turn left a command running. */
const shown = shownSession({
  messages: [
    prompt({ uid: 'u1', position: 1 }, 'Start the server'),
    answer({ uid: 'a1', position: 2 }, [call('c1', 'run_command', { command: 'npm run dev', background: true })]),
    result({ uid: 'r1', position: 3 }, 'c1', 'run_command', 'Running', 'done', {
      kind: 'command',
      command: 'npm run dev',
      folder: '.',
      exitCode: null,
      signal: null,
      ms: 1000,
      bytes: 0,
      file: 'dev',
      timedOut: false,
      background: 'cmd1',
      tail: '',
    }),
    answer({ uid: 'a2', position: 4 }, ['It runs.']),
  ],
  turns: [settledTurn('t1')],
});
const row = (): HTMLElement => find('group', 'Tool: run_command npm run dev, done');
const inRow = (): string => row().querySelector('.tool-state')?.textContent?.trim() ?? '';
const buttons = (part: HTMLElement): readonly string[] =>
  [...part.querySelectorAll('.tool-actions button')].map((button) => button.getAttribute('aria-label') ?? '');
const stopIn = (part: HTMLElement): HTMLElement => {
  const button = part.querySelector<HTMLElement>('button[aria-label="Stop"]');
  if (button === null) throw new Error('There is no Stop');
  return button;
};
const strip = (): readonly string[] =>
  [...document.querySelectorAll('.commands li')].map((line) => line.textContent?.replace(/\s+/g, ' ').trim() ?? '');

describe('commands in the background', () => {
  test('a command shows its time, Stop and Open Output on its row and above the composer, until it ends', async () => {
    const page = await openChat(shown, { commands: [command('dev')] });
    const running = [inRow(), buttons(row()), strip()];
    await page.click(stopIn(row()));
    await page.tell('commands', [command('dev', { end: { exitCode: 143, signal: null, ms: 130_000 } })]);
    const ended = [inRow(), buttons(row()), strip()];
    await page.tell('commands', []);
    expect([running, page.sent('stopCommand'), ended, inRow()]).toEqual([
      ['2 min 5 s', ['Stop', 'Open Output'], ['npm run dev 2 min 5 sStopOpen Output']],
      [{ file: 'dev' }],
      ['exit 143 · 2 min 10 s', [], []],
      'ran in the background',
    ]);
  });

  test('commands of other sessions are shown too, three of them by name', async () => {
    const page = await openChat(null, { commands: ['a', 'b', 'c', 'd'].map((file) => command(file)) });
    await page.press('Running Commands…');
    expect([strip().length, page.sent('runAction')]).toEqual([4, [{ action: 'runningCommands' }]]);
  });
});
