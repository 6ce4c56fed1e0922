import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ChatFileSource } from '../../../../src/history/sources/chatFiles/chatFileSource';
import { ClaudeSource } from '../../../../src/history/sources/claude/claudeSource';
import { ClineSource } from '../../../../src/history/sources/cline/clineSource';
import { CodexSource } from '../../../../src/history/sources/codex/codexSource';
import type { ForeignSession } from '../../../../src/history/sources/foreign';
import type { HistoryPlaces } from '../../../../src/history/sources/historyPlaces';
import type { HistorySource } from '../../../../src/history/sources/historySource';
import { PiSource } from '../../../../src/history/sources/pi/piSource';
import type { HistoryFiles } from '../../../../src/history/sources/reading/historyFiles';
import { VscodeChatSource } from '../../../../src/history/sources/vscodeChat/vscodeChatSource';
import { MemoryFiles } from '../../../support/history/memoryFiles';
import { mutated, seededNumbers } from '../../../support/history/mutations';
import { findHistory, fixtures, placesWith, readHistory, type ReadHistory } from '../../../support/history/readHistory';

interface Format {
  readonly name: string;
  readonly source: (files: HistoryFiles) => HistorySource;
  readonly places: Partial<HistoryPlaces>;
  /** Path at which the source finds the file. */
  readonly path: string;
  readonly samples: readonly string[];
  /** True for files whose lines cannot be told. Default: false. */
  readonly isBinary?: boolean;
}

const claude = 'claudeCode/projects/-home-demo-project';
const codex = 'codex/sessions';
const vscodeChat = 'vscodeChat/User/workspaceStorage/0a1b2c/chatSessions';
const formats: readonly Format[] = [
  {
    name: 'Claude Code',
    source: (files) => new ClaudeSource(files),
    places: { claude: '/c' },
    path: '/c/projects/p/s.jsonl',
    samples: [`${claude}/11111111-2222-4333-8444-555555555555.jsonl`, `${claude}/odd.jsonl`],
  },
  {
    name: 'Codex',
    source: (files) => new CodexSource(files),
    places: { codex: '/c' },
    path: '/c/sessions/2026/11/25/rollout-x.jsonl',
    samples: [
      `${codex}/2026/11/25/rollout-2026-11-25T03-36-52-01a210c7-149e-7340-8d7a-e40748d867f4.jsonl`,
      `${codex}/2025/11/01/rollout-2025-11-01T12-26-40-odd.jsonl`,
      `${codex}/2025/08/18/rollout-2025-08-18T01-16-13-bare.jsonl`,
    ],
  },
  {
    name: 'Codex, compressed',
    source: (files) => new CodexSource(files),
    places: { codex: '/c' },
    path: '/c/sessions/2026/11/25/rollout-x.jsonl.zst',
    samples: [`${codex}/2025/11/01/rollout-2025-11-01T13-00-00-packed.jsonl.zst`],
    isBinary: true,
  },
  {
    name: 'pi',
    source: (files) => new PiSource(files),
    places: { pi: '/c' },
    path: '/c/sessions/p/2026-11-25T03-38-09-782Z_s.jsonl',
    samples: ['pi/sessions/--home-demo-project--/2026-11-25T03-38-09-782Z_01a210c8-43ec-73cf-8523-970260993f9d.jsonl'],
  },
  {
    name: 'Chat files',
    source: (files) => new ChatFileSource(files),
    places: { chosen: ['/c'] },
    path: '/c/chat.json',
    samples: ['one', 'messages', 'list'].map((name) => `chatFiles/${name}.json`),
  },
  {
    name: 'Chat lines',
    source: (files) => new ChatFileSource(files),
    places: { chosen: ['/c'] },
    path: '/c/chat.jsonl',
    samples: ['chatFiles/trajectories.jsonl'],
  },
  {
    name: 'Cline tasks',
    source: (files) => new ClineSource(files),
    places: { cline: '/c' },
    path: '/c/data/tasks/t/api_conversation_history.json',
    samples: ['cline/User/globalStorage/rooveterinaryinc.roo-cline/tasks/task-1/api_conversation_history.json'],
  },
  {
    name: 'Cline sessions',
    source: (files) => new ClineSource(files),
    places: { cline: '/c' },
    path: '/c/data/sessions/s/s.messages.json',
    samples: ['cline/data/sessions/1795577962411_vness/1795577962411_vness.messages.json'],
  },
  {
    name: 'VS Code sessions',
    source: (files) => new VscodeChatSource(files),
    places: { editors: ['/c'] },
    path: '/c/globalStorage/emptyWindowChatSessions/s.json',
    samples: [`${vscodeChat}/flat-1.json`],
  },
  {
    name: 'VS Code journals',
    source: (files) => new VscodeChatSource(files),
    places: { editors: ['/c'] },
    path: '/c/workspaceStorage/w/chatSessions/s.jsonl',
    samples: [`${vscodeChat}/journal-1.jsonl`],
  },
];
const mutations = 1000;

describe.each(formats)('$name', ({ source, places, path, samples }) => {
  test('never throws and accounts for each record, whatever is damaged', async () => {
    const pick = seededNumbers(20_261_125);
    const contents = samples.map((sample) => readFileSync(`${fixtures}/${sample}`));
    for (let round = 0; round < mutations; round++) {
      const content = mutated(contents[round % contents.length] ?? Buffer.alloc(0), pick);
      const reader = source(new MemoryFiles({ [path]: content }, 16_384));
      const { sessions } = await findHistory(reader, placesWith(places));
      for (const session of sessions) expectBalance(await readHistory(reader, session), round);
    }
  }, 120_000);
});

describe.each(formats.filter(({ isBinary }) => isBinary !== true))('$name', ({ source, places, path, samples }) => {
  test('reads CRLF, a byte order mark and blank lines as if they were not there', async () => {
    for (const sample of samples) {
      const text = readFileSync(`${fixtures}/${sample}`, 'utf8');
      const plain = await read(text);
      const windows = await read(`\uFEFF${text.replaceAll('\n', '\r\n')}\r\n\r\n`);

      expect(windows.messages).toEqual(plain.messages);
      expect(windows.tally).toEqual(plain.tally);
    }
  });

  async function read(content: string): Promise<ReadHistory> {
    const reader = source(new MemoryFiles({ [path]: content }));
    const { sessions } = await findHistory(reader, placesWith(places));
    return readHistory(reader, sessions[0] ?? unfound(path));
  }
});

function expectBalance({ tally, messages, skipped }: ReadHistory, round: number): void {
  const isBalanced = tally.in === tally.imported + tally.skipped && skipped.every(({ reason }) => reason.endsWith('.'));
  const ids = new Set(messages.map(({ id }) => id));
  expect({ round, isBalanced, distinct: ids.size }).toEqual({ round, isBalanced: true, distinct: messages.length });
}

function unfound(path: string): ForeignSession {
  throw new Error(`no session was found in ${path}`);
}
