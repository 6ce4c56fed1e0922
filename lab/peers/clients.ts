import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { numberedWords } from '../../test/e2e/words';
import { reply } from '../../test/support/modelServer';
import { ServedAgent } from '../../test/support/servedAgent';
import { commandOf } from '../../test/support/processTree';
import { isAlive, signal } from '../../test/support/vscode';
import { processesAtHome } from './hostedPeers';

/** Characters of an answer that a client has shown before the agent is killed. */
const shownAtKill = 400;

/** Drives `hermes-agent acp` with clients that others wrote: the example of the protocol's SDK, unchanged, and acpx.
 *  Each has a turn with a command that it approves, and a turn in whose answer the agent is killed. `--programs`: a
 *  folder in which npm has installed acpx, which brings the SDK. `--node`: Node 22 or later, which acpx needs. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { programs: { type: 'string' }, node: { type: 'string', default: process.execPath } },
  });
  const { programs, node } = values;
  if (programs === undefined) throw new Error('Say where acpx is installed: --programs <folder>');
  const bundle = await ServedAgent.bundle();
  try {
    for (const drive of [sdkExample, acpx]) {
      const served = await ServedAgent.create();
      const driver = new Driver(served, bundle.folder, join(programs, 'node_modules'), node);
      try {
        console.log(JSON.stringify({ client: drive.name, ...(await drive(driver)) }, null, 2));
      } finally {
        driver.killAgents();
        await served.close();
      }
    }
  } finally {
    bundle.remove();
  }
  return 0;
}

interface Ended {
  readonly out: string;
  readonly code: number | null;
}

/** Starts clients of one served agent. */
class Driver {
  readonly agentCommand: readonly string[];
  private readonly bin: string;

  constructor(
    readonly served: ServedAgent,
    readonly bundle: string,
    readonly modules: string,
    readonly node: string,
  ) {
    this.agentCommand = [node, join(bundle, 'dist', 'hermes-agent.js'), 'acp', '--user-data', served.data];
    // The example starts its own agent by npx.
    this.bin = join(served.home, 'bin');
    mkdirSync(this.bin);
    writeFileSync(join(this.bin, 'npx'), `#!/bin/sh\nexec '${this.agentCommand.join("' '")}'\n`, { mode: 0o755 });
  }

  /** `onText`: gets everything that the client has printed so far. */
  run(args: readonly string[], onText: (out: string, child: ChildProcess) => void = () => undefined): Promise<Ended> {
    const child = spawn(this.node, [...args], {
      cwd: this.served.folder,
      env: {
        ...process.env,
        HOME: this.served.home,
        PATH: [this.bin, dirname(this.node), process.env['PATH']].join(delimiter),
      },
    });
    let out = '';
    const hear = (bytes: Buffer): void => {
      out += bytes.toString('utf8');
      onText(out, child);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    return new Promise((resolve) => child.once('close', (code) => resolve({ out, code })));
  }

  /** Ends the agents of this driver as a crash would. Returns their number. */
  killAgents(): number {
    const command = this.agentCommand.join(' ');
    const agents = processesAtHome(this.served.home).filter((pid) => commandOf(pid).startsWith(command));
    return agents.filter((pid) => isAlive(pid) && signal(pid, 'SIGKILL')).length;
  }

  /** All answers of the newest session, as a third client gets them. */
  async replayed(): Promise<string> {
    const client = this.served.start(this.bundle);
    await client.initialize();
    const { sessions } = await client.request('session/list', { cwd: this.served.folder });
    const [newest] = sessions as readonly { readonly sessionId: string }[];
    await client.request('session/load', { sessionId: newest?.sessionId, cwd: this.served.folder, mcpServers: [] });
    await client.close();
    return client
      .texts()
      .map(({ text }) => text)
      .join('\n');
  }
}

const wordsOf = (text: string, name: string): readonly string[] => text.match(new RegExp(`${name}-\\d+`, 'g')) ?? [];

function lost(shown: string, stored: string, name: string) {
  const [seen, kept] = [new Set(wordsOf(shown, name)), wordsOf(stored, name)];
  return {
    shown: seen.size,
    lost: [...seen].filter((word) => !kept.includes(word)).length,
    doubled: kept.length - new Set(kept).size,
  };
}

/** The turn with a command: a file is made once the client has allowed it. */
function script({ served: { server } }: Driver): void {
  server.script(
    reply().says('I make it. ').calls('run_command', { command: 'echo made > made.txt' }),
    reply().says(numberedWords('a-', 300), { every: 2 }),
    reply().says(numberedWords('k-', 2000), { every: 3 }),
    reply().says('Fine.'),
  );
}

async function sdkExample(driver: Driver): Promise<object> {
  script(driver);
  const file = examplesIn(driver.modules);
  let isAnswered = false;
  const first = await driver.run([file], (out, child) => {
    if (isAnswered || !out.includes('Choose an option')) return;
    isAnswered = true;
    child.stdin?.write('1\n');
  });
  const stored = await driver.replayed();
  let killed = 0;
  const second = await driver.run([file], (out, child) => {
    if (killed > 0 || wordsOf(out, 'k').join(' ').length < shownAtKill) return;
    killed = driver.killAgents();
    setTimeout(() => child.kill('SIGKILL'), 2000);
  });
  return {
    version: versionIn(dirname(dirname(dirname(file)))),
    end: /Agent completed with: (\w+)/.exec(first.out)?.[1],
    isMade: isMade(driver),
    whole: lost(first.out, stored, 'a'),
    killed,
    afterKill: lost(second.out, await driver.replayed(), 'k'),
    error: /Error: (.*)/.exec(second.out)?.[1],
  };
}

async function acpx(driver: Driver): Promise<object> {
  script(driver);
  const program = join(driver.modules, 'acpx/dist/cli.js');
  const run = (words: readonly string[], onText?: (out: string) => void): Promise<Ended> =>
    driver.run(
      [program, '--agent', driver.agentCommand.join(' '), '--cwd', driver.served.folder, '--approve-all', ...words],
      onText,
    );
  const begun = await run(['sessions', 'new']);
  const first = await run(['Please make it.']);
  let killed = 0;
  const second = await run(['Please count.'], (out) => {
    if (killed === 0 && wordsOf(out, 'k').join(' ').length >= shownAtKill) killed = driver.killAgents();
  });
  const third = await run(['Please go on.']);
  const next = driver.served.server.requests.at(-1)?.outline.join('\n') ?? '';
  const mode = await run(['set-mode', 'plan']);
  // acpx keeps the agent for its next command, and an agent its history.
  driver.killAgents();
  const stored = await driver.replayed();
  return {
    version: versionIn(join(driver.modules, 'acpx')),
    codes: [begun, first, second, third, mode].map(({ code }) => code),
    isMade: isMade(driver),
    whole: lost(first.out, stored, 'a'),
    killed,
    afterKill: lost(second.out, stored, 'k'),
    inNextRequest: new Set(wordsOf(next, 'k')).size,
    continuedBy: /session\/(?:resume|load|new)/.exec(third.out)?.[0],
  };
}

function isMade({ served: { folder } }: Driver): boolean {
  return existsSync(join(folder, 'made.txt'));
}

/** The example of the newest SDK below this folder that has one. */
function examplesIn(modules: string): string {
  const found = readdirSync(modules, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('@agentclientprotocol/sdk/dist/examples/client.js'),
  );
  if (found === undefined) throw new Error('No SDK with its example is installed.');
  return join(modules, found);
}

function versionIn(folder: string): string {
  return String((JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: unknown }).version);
}
