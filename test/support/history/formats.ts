import { chatFileSource } from '../../../src/features/history/core/sources/chatFiles/chatFileSource';
import { claudeSource } from '../../../src/features/history/core/sources/claude/claudeSource';
import { clineSource } from '../../../src/features/history/core/sources/cline/clineSource';
import { codexSource } from '../../../src/features/history/core/sources/codex/codexSource';
import { hermesSource } from '../../../src/features/history/core/sources/hermes/hermesSource';
import type { HistoryPlaces } from '../../../src/features/history/core/sources/historyPlaces';
import type { HistorySource } from '../../../src/features/history/core/sources/historySource';
import { OpencodeSource } from '../../../src/features/history/core/sources/opencode/opencodeSource';
import { piSource } from '../../../src/features/history/core/sources/pi/piSource';
import type { OpenForeignDatabase } from '../../../src/features/history/core/sources/reading/foreignDatabase';
import type { HistoryFiles } from '../../../src/features/history/core/sources/reading/historyFiles';
import { vscodeChatSource } from '../../../src/features/history/core/sources/vscodeChat/vscodeChatSource';

/** A kind of file in which another program keeps its sessions, with samples of it. */
interface Format {
  readonly name: string;
  readonly source: (files: HistoryFiles, open: OpenForeignDatabase) => HistorySource;
  readonly places: Partial<HistoryPlaces>;
  /** Path at which the source finds the file. */
  readonly path: string;
  readonly samples: readonly string[];
  /** True for files whose lines cannot be told. Default: false. */
  readonly isBinary?: boolean;
  /** True for a database, which is opened. Default: false. */
  readonly isDatabase?: boolean;
}

const claude = 'claudeCode/projects/-home-demo-project';
const codex = 'codex/sessions';
const vscodeChat = 'vscodeChat/User/workspaceStorage/0a1b2c/chatSessions';
export const formats: readonly Format[] = [
  {
    name: 'Claude Code',
    source: (files) => claudeSource(files),
    places: { claude: '/c' },
    path: '/c/projects/p/s.jsonl',
    samples: [`${claude}/11111111-2222-4333-8444-555555555555.jsonl`, `${claude}/odd.jsonl`],
  },
  {
    name: 'Codex',
    source: (files) => codexSource(files),
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
    source: (files) => codexSource(files),
    places: { codex: '/c' },
    path: '/c/sessions/2026/11/25/rollout-x.jsonl.zst',
    samples: [`${codex}/2025/11/01/rollout-2025-11-01T13-00-00-packed.jsonl.zst`],
    isBinary: true,
  },
  {
    name: 'pi',
    source: (files) => piSource(files),
    places: { pi: '/c' },
    path: '/c/sessions/p/2026-11-25T03-38-09-782Z_s.jsonl',
    samples: ['pi/sessions/--home-demo-project--/2026-11-25T03-38-09-782Z_01a210c8-43ec-73cf-8523-970260993f9d.jsonl'],
  },
  {
    name: 'Chat files',
    source: (files) => chatFileSource(files),
    places: { chosen: ['/c'] },
    path: '/c/chat.json',
    samples: ['one', 'messages', 'list'].map((name) => `chatFiles/${name}.json`),
  },
  {
    name: 'Chat lines',
    source: (files) => chatFileSource(files),
    places: { chosen: ['/c'] },
    path: '/c/chat.jsonl',
    samples: ['chatFiles/trajectories.jsonl'],
  },
  {
    name: 'Cline tasks',
    source: (files) => clineSource(files),
    places: { cline: '/c' },
    path: '/c/data/tasks/t/api_conversation_history.json',
    samples: ['cline/User/globalStorage/rooveterinaryinc.roo-cline/tasks/task-1/api_conversation_history.json'],
  },
  {
    name: 'Cline sessions',
    source: (files) => clineSource(files),
    places: { cline: '/c' },
    path: '/c/data/sessions/s/s.messages.json',
    samples: ['cline/data/sessions/1795577962411_vness/1795577962411_vness.messages.json'],
  },
  {
    name: 'VS Code sessions',
    source: (files) => vscodeChatSource(files),
    places: { editors: ['/c'] },
    path: '/c/globalStorage/emptyWindowChatSessions/s.json',
    samples: [`${vscodeChat}/flat-1.json`],
  },
  {
    name: 'VS Code journals',
    source: (files) => vscodeChatSource(files),
    places: { editors: ['/c'] },
    path: '/c/workspaceStorage/w/chatSessions/s.jsonl',
    samples: [`${vscodeChat}/journal-1.jsonl`],
  },
  {
    name: 'Hermes Agent',
    source: (files, open) => hermesSource(files, open),
    places: { hermes: '/c' },
    path: '/c/state.db',
    samples: ['hermes/profiles/compacted/state.db'],
    isDatabase: true,
  },
  {
    name: 'opencode',
    source: (files, open) => new OpencodeSource(files, open),
    places: { opencode: '/c' },
    path: '/c/opencode.db',
    samples: ['opencode/opencode.db'],
    isDatabase: true,
  },
];
