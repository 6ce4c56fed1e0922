import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { peerAgents, setUp, type Surroundings } from './agents';

/** An agent as Hermes hosts it. Its home is set up like that of the agent alone. */
export interface HostedPeer {
  readonly peer: string;
  /** Its program below `node_modules`, and its arguments. */
  readonly program: readonly string[];
  readonly env?: (around: Surroundings) => Readonly<Record<string, string>>;
  /** Tools that edit a file and run a command. */
  readonly edit: (file: string, text: string) => ToolCall;
  readonly run: (command: string) => ToolCall;
}
type ToolCall = { readonly name: string; readonly input: Readonly<Record<string, unknown>> };

const shell =
  (name: string, field = 'command') =>
  (command: string) => ({
    name,
    input: { [field]: command, description: 'runs it', is_background: false },
  });

export const hostedPeers: readonly HostedPeer[] = [
  {
    peer: 'claude',
    program: ['@agentclientprotocol/claude-agent-acp/dist/index.js'],
    env: () => ({ IS_SANDBOX: '1', ANTHROPIC_MODEL: 'claude-sonnet-4-5' }),
    edit: (file_path, content) => ({ name: 'Write', input: { file_path, content } }),
    run: (command) => ({ name: 'Bash', input: { command, description: 'runs it' } }),
  },
  {
    peer: 'codex',
    program: ['@agentclientprotocol/codex-acp/dist/index.js'],
    // Codex makes no sandbox where its home is below the folder for temporary files.
    env: () => ({ NO_BROWSER: '1', TMPDIR: '/var/tmp' }),
    edit: (file, text) => ({ name: 'exec_command', input: { cmd: `printf '${text}' > '${file}'` } }),
    run: (cmd) => ({ name: 'exec_command', input: { cmd } }),
  },
  {
    peer: 'gemini',
    program: ['@google/gemini-cli/bundle/gemini.js', '--acp', '--model', 'gemini-2.5-flash'],
    env: () => ({ GEMINI_CLI_NO_RELAUNCH: 'true' }),
    edit: (file_path, content) => ({ name: 'write_file', input: { file_path, content } }),
    run: (command) => ({ name: 'run_shell_command', input: { command, description: 'runs it' } }),
  },
  {
    peer: 'opencode',
    program: ['.bin/opencode', 'acp'],
    edit: (filePath, content) => ({ name: 'write', input: { filePath, content } }),
    run: (command) => ({ name: 'bash', input: { command, description: 'runs it' } }),
  },
  {
    peer: 'qwen',
    program: ['@qwen-code/qwen-code/cli.js', '--acp'],
    env: () => ({ OPENAI_MODEL: 'test-model' }),
    edit: (file_path, content) => ({ name: 'write_file', input: { file_path, content } }),
    run: shell('run_shell_command'),
  },
  {
    peer: 'cline',
    program: ['.bin/cline', '--acp'],
    env: ({ url }) => ({
      CLINE_API_KEY: 'local',
      CLINE_PROVIDER: 'openai-compatible',
      CLINE_MODEL: 'test-model',
      OPENAI_BASE_URL: `${url}/v1`,
    }),
    edit: (file, text) => ({
      name: 'apply_patch',
      input: { input: `*** Begin Patch\n*** Add File: ${file}\n+${text}\n*** End Patch` },
    }),
    run: (command) => ({ name: 'run_commands', input: { commands: [command] } }),
  },
];

/** Where npm has installed the agents, and the Node that they run on. */
export interface Installed {
  readonly programs: string;
  readonly node: string;
}

/** How an agent is started with a home of its own, which this writes. It reaches nothing but this machine. */
export function launchOf(agent: HostedPeer, { programs, node }: Installed, around: Surroundings) {
  const peer = peerAgents.find(({ name }) => name === agent.peer);
  if (peer === undefined) throw new Error('unknown agent');
  mkdirSync(around.home, { recursive: true });
  setUp(peer, around);
  const [program = '', ...args] = agent.program;
  const file = join(programs, 'node_modules', program);
  return {
    command: program.startsWith('.bin/') ? file : node,
    args: program.startsWith('.bin/') ? args : [file, ...args],
    environment: {
      PATH: `${dirname(node)}:${process.env['PATH'] ?? ''}`,
      HOME: around.home,
      // A VS Code under test points them elsewhere.
      XDG_CONFIG_HOME: join(around.home, '.config'),
      CODEX_HOME: join(around.home, '.codex'),
      HTTPS_PROXY: 'http://127.0.0.1:9',
      HTTP_PROXY: 'http://127.0.0.1:9',
      NO_PROXY: '127.0.0.1,localhost',
      ...peer.env(around),
      ...agent.env?.(around),
    },
  };
}

/** The call of one of the ten steps: a file is written, or a command writes it. */
export function stepCall(agent: HostedPeer, folder: string, n: number): ToolCall {
  const file = join(folder, `note${n}.txt`);
  return n % 2 === 1 ? agent.edit(file, `text${n}`) : agent.run(`echo ran${n} > '${file}'; echo printed${n}`);
}

/** Ids of the processes with this home: the agent's, and those that they started. */
export function processesAtHome(home: string): readonly number[] {
  const found = execFileSync('bash', ['-c', `grep -la "HOME=${home}" /proc/[0-9]*/environ 2>/dev/null || true`])
    .toString()
    .trim();
  const pids = found === '' ? [] : found.split('\n').map((file) => Number(file.split('/')[2]));
  return pids.filter((pid) => pid !== process.pid);
}
