import { readdirSync, readFileSync } from 'node:fs';
import { ChatPanel } from '../../test/e2e/chatPanel';
import { numberedWords } from '../../test/e2e/words';
import { commandOf, descendantsOf, memoryOf } from '../../test/support/processTree';
import { EXTENSION_ID } from '../../test/support/extensionId';
import { refuses, reply, startModelServer, type ModelServer } from '../../test/support/modelServer';
import { processesOf, readStateDb, VscodeSession, waitFor, type Workbench } from '../../test/support/vscode';
import { growthOf, type SoakGrowth } from './soakRecord';

const samplesInAll = 20;
const turnsPerSession = 50;
/** Each this many turns, one whose request fails at first. */
const turnsPerFault = 20;

/** What a VS Code holds after a number of turns. */
interface VscodeSample {
  /** Of the extension host. Bytes. */
  readonly hostMemory: number;
  readonly hostHandles: number;
  readonly hostThreads: number;
  /** Of all pages of the browser. Bytes. */
  readonly pageMemory: number;
  /** Elements in the chat. */
  readonly elements: number;
}

const mostGrowth = {
  hostMemory: { times: 1.2, more: 30_000_000 },
  hostHandles: { times: 1, more: 4 },
  hostThreads: { times: 1, more: 2 },
  pageMemory: { times: 1.2, more: 100_000_000 },
  elements: { times: 1.2, more: 300 },
} as const;

export interface VscodeSoakResult {
  readonly turns: number;
  readonly sessions: number;
  readonly faults: number;
  /** Answers that were seen and are stored otherwise, or not at all. */
  readonly different: number;
  /** What another SQLite says of the file; "ok" for nothing. */
  readonly integrity: string;
  readonly samples: readonly VscodeSample[];
  readonly growth: readonly SoakGrowth[];
}

/** Works through turns in a real VS Code with the packaged extension, as a user does: types a prompt, sees the
 *  answer, begins a session now and then. Linux only. */
export async function runVscodeSoak(
  turns: number,
  vsix: string,
  say: (line: string) => void,
): Promise<VscodeSoakResult> {
  const server = await startModelServer();
  const vscode = await VscodeSession.start({
    vsix: [vsix],
    settings: {
      'hermes.providers': [{ name: 'Local', protocol: 'openai', baseUrl: server.url, models: [{ id: 'test-model' }] }],
      'hermes.model': 'Local/test-model',
    },
  });
  try {
    return await new VscodeSoak(vscode, server, say).run(turns);
  } finally {
    await vscode.dispose();
    await server.close();
  }
}

class VscodeSoak {
  private readonly seen: string[] = [];
  private readonly samples: VscodeSample[] = [];
  private sessions = 1;
  private faults = 0;
  private workbench!: Workbench;
  private panel!: ChatPanel;

  constructor(
    private readonly vscode: VscodeSession,
    private readonly server: ModelServer,
    private readonly say: (line: string) => void,
  ) {}

  async run(turns: number): Promise<VscodeSoakResult> {
    this.workbench = await this.vscode.open(this.vscode.sampleFolder());
    this.panel = await ChatPanel.open(this.workbench);
    for (let turn = 1; turn <= turns; turn++) {
      if (turn % turnsPerSession === 0) await this.newSession();
      await this.turn(turn);
      if (turn % Math.max(1, Math.floor(turns / samplesInAll)) === 0) await this.sample(turn);
    }
    const [folder = ''] = this.vscode.workspaceStorageFolders(EXTENSION_ID);
    const stored = readStateDb(
      folder,
      "SELECT content FROM messages WHERE role = 'assistant' AND active = 1 ORDER BY rowid",
    ).map(({ content }) => String(content).trim());
    const { samples, sessions, faults } = this;
    return {
      turns,
      sessions,
      faults,
      different: this.seen.filter((text, index) => stored[index] !== text).length + Math.abs(stored.length - turns),
      integrity: String(Object.values(readStateDb(folder, 'PRAGMA integrity_check')[0] ?? {})[0]),
      samples,
      growth: growthOf(samples, mostGrowth),
    };
  }

  private async turn(turn: number): Promise<void> {
    const words = numberedWords(`t${turn}-`, 40);
    if (turn % turnsPerFault === 0) {
      this.faults++;
      this.server.script(refuses(503), reply().says(words, { every: 1 }));
    } else this.server.script(reply().says(words, { every: 1 }));
    await this.panel.send(`Prompt ${turn}`);
    const end = words.trim();
    const { text } = await this.panel.waitForSettledAnswer(`answer ${turn}`, (seen) => seen === end);
    this.seen.push(text);
  }

  private async newSession(): Promise<void> {
    this.sessions++;
    await this.workbench.runCommand('Hermes: New Session');
    await this.panel.sees('Hermes works in your folder');
  }

  private async sample(turn: number): Promise<void> {
    const host = await this.vscode.extensionHostPid();
    // The browser's pages do not keep the environment that the others are found by.
    const all = new Set(processesOf(this.vscode.root).flatMap(({ pid }) => [pid, ...descendantsOf(pid)]));
    const pages = [...all].filter((pid) => commandOf(pid).includes('--type=renderer'));
    if (pages.length === 0) throw new Error('The browser has no page whose memory could be measured.');
    const sample = {
      hostMemory: memoryOf(host),
      hostHandles: readdirSync(`/proc/${host}/fd`).length,
      hostThreads: statusOf(host, 'Threads'),
      pageMemory: pages.reduce((sum, pid) => sum + memoryOf(pid), 0),
      elements: await waitFor('the elements of the chat', () =>
        this.panel.frame.locator('body').evaluate((body) => body.querySelectorAll('*').length),
      ),
    };
    this.samples.push(sample);
    this.say(
      `${turn} turns: extension host ${Math.round(sample.hostMemory / 1e6)} MB, ${sample.hostHandles} ` +
        `handles, ${sample.hostThreads} threads; pages ${Math.round(sample.pageMemory / 1e6)} MB, ` +
        `${sample.elements} elements`,
    );
  }
}

/** A number of /proc/<pid>/status. 0 for a process that is gone. */
function statusOf(pid: number, name: string): number {
  try {
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
