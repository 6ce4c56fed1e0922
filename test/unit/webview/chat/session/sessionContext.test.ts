// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import { prompt, runningTurn, session, settledTurn, shownSession } from '../../../../support/builders/viewMessages';
import { type ChatPage, openChat } from '../chatPage';
import { all, find, names, texts } from '../../elements';

let page: ChatPage;

const question = prompt({ uid: 'u1', position: 1 }, 'the last prompt');
const idle = shownSession({ messages: [question], turns: [settledTurn()] });
const busy = shownSession({ messages: [question], openTurn: runningTurn() });
const use = {
  tokens: 52_400,
  counted: true,
  window: 128_000,
  parts: { system: 1900, tools: 3100, memory: 0, messages: 47_400 },
  spending: { session: { usd: 0.42, unpriced: 0 }, today: { usd: 1.8, unpriced: 1 } },
};

async function open(shown: typeof idle | null): Promise<void> {
  page = await openChat(shown);
  page.composer.focus();
}

async function command(text: string): Promise<void> {
  await page.type(text);
  await page.key('Enter');
}

const meter = (): readonly string[] => names('button').filter((name) => name.startsWith('Context'));
const said = (): readonly string[] =>
  [...all('status'), ...all('alert')].map((line) => line.textContent ?? '').filter((text) => text !== '');

describe('/compress', () => {
  test('shows what it would save, and compresses only on confirmation', async () => {
    await open(idle);
    await command('/compress the names of files');
    await page.answer('compressionPreview', { before: 62_000, after: 4000 });
    const before = [
      find('group', 'Compress Session').textContent?.includes('62K → about 4K tokens'),
      page.sent('compress').length,
      page.composer.value,
    ];
    await page.press('Compress');
    const asked = page.sent('compress');
    await page.answer('compress', { kind: 'summary', tokens: { before: 62_000, after: 4000 } });
    expect({ before, asked, after: all('group').length, said: said() }).toEqual({
      before: [true, 0, ''],
      asked: [{ sessionId: session().id, focus: 'the names of files' }],
      after: 0,
      said: [],
    });
  });

  test('changes nothing when it is cancelled', async () => {
    await open(idle);
    await command('/compress');
    await page.answer('compressionPreview', { before: 62_000, after: 4000 });
    const focused = document.activeElement?.textContent;
    await page.key('Escape');
    expect([focused, all('group').length, page.sent('compress').length, page.sent('stop').length]).toEqual([
      'Compress',
      0,
      0,
      0,
    ]);
  });

  test.each([
    ['there is nothing to compress', null, 'There is nothing to compress yet. Nothing was changed.'],
    [
      'nothing was changed',
      { kind: 'unchanged', sentence: 'Compression was stopped. Nothing was changed.' },
      'Compression was stopped. Nothing was changed.',
    ],
    [
      'the model gave no summary',
      { kind: 'plain', tokens: { before: 62_000, after: 3000 } },
      'The model returned no summary, so earlier messages were shortened instead: about 62K → 3K tokens.',
    ],
  ] as const)('reports when %s', async (_what, outcome, sentence) => {
    await open(idle);
    await command('/compress');
    await page.answer('compressionPreview', outcome === null ? null : { before: 62_000, after: 4000 });
    if (outcome !== null) {
      await page.press('Compress');
      await page.answer('compress', outcome);
    }
    expect([all('group').length, said()]).toEqual([0, [sentence]]);
  });

  test('waits for the user while a turn runs', async () => {
    await open(busy);
    await command('/compress');
    expect([page.sent('compressionPreview').length, said()]).toEqual([
      0,
      ['Hermes is answering in this session. Stop it first, or wait.'],
    ]);
  });
});

describe('the context meter', () => {
  test('shows how full the context is, with its parts on a press', async () => {
    await open(idle);
    const before = meter();
    await page.answer('contextUse', use);
    await page.press('Context 41% full: 52.4K of 128K tokens');
    const lines = [...find('group', 'Context').querySelectorAll('dl > div')].map((line) => line.textContent);
    await page.press('Compress…');
    expect({ before, lines, proposed: page.sent('compressionPreview'), open: all('group').length }).toEqual({
      before: [],
      lines: ['Messages47.4K', 'Tools3.1K', 'System prompt1.9K', 'Free75.6K', 'Cost$0.42', 'Cost todayat least $1.80'],
      proposed: [{ sessionId: session().id }],
      open: 0,
    });
  });

  test('names the files in the system prompt with their size and origin, and those that were not read', async () => {
    await open(idle);
    await page.answer('contextUse', {
      ...use,
      files: [
        { kind: 'rules', path: 'AGENTS.md', origin: 'folder', tokens: 300 },
        { kind: 'rules', path: '~/.claude/CLAUDE.md', origin: 'claude', tokens: 1200 },
        { kind: 'skills', count: 2, origin: 'hermes', tokens: 80 },
      ],
      left: [{ path: '~/.codex/AGENTS.md', reason: 'link' }],
    });
    await page.press('Context 41% full: 52.4K of 128K tokens');
    const panel = find('group', 'Context');
    expect({
      files: [...panel.querySelectorAll('dl > div')].slice(4, -2).map((line) => line.textContent),
      notes: texts('[role=note]', panel),
    }).toEqual({
      files: ['AGENTS.mdThis folder 300', '~/.claude/CLAUDE.mdClaude Code 1.2K', '2 skillsYours 80'],
      notes: ['~/.codex/AGENTS.md wasn’t read: it links to a place outside your home folder.'],
    });
  });

  test('is read again when a turn is over, and shows nothing of another session', async () => {
    await open(busy);
    await page.answer('contextUse', use);
    const shown = meter();
    const settled = settledTurn(runningTurn().uid);
    if (settled.state === 'settled') await page.event({ kind: 'turnSettled', turn: settled, messages: [] });
    const asked = page.sent('contextUse').length;
    await page.tell('shown', shownSession({ session: session({ id: 'another', conversationId: 'another' }) }));
    expect({ shown, asked, after: meter() }).toEqual({
      shown: ['Context 41% full: 52.4K of 128K tokens'],
      asked: 2,
      after: [],
    });
  });

  test("shows the tokens when the model's limit is unknown", async () => {
    await open(idle);
    await page.answer('contextUse', { ...use, window: null, parts: null });
    expect(meter()).toEqual(['Context 52.4K tok: 52.4K tokens (context size unknown)']);
  });
});

describe('while a session is summarized between two turns', () => {
  test('prompts queue, and Stop stops the summary', async () => {
    await open(idle);
    await page.tell('compressing', { sessionId: session().id, activity: { kind: 'compressing', startedAt: 1 } });
    await page.type('And also');
    const buttons = names('button').filter((name) => ['Queue', 'Stop', 'Send'].includes(name));
    await page.press('Stop');
    expect({ buttons, stopped: page.sent('stop') }).toEqual({
      buttons: ['Stop', 'Queue'],
      stopped: [{ sessionId: session().id }],
    });
  });
});
