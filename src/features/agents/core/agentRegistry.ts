import { agentRules, type AgentProfile } from './agentProfile';

/** An agent that this product knows how to start. A snapshot: versions that were tried, never refreshed by itself. */
export interface RegisteredAgent {
  readonly id: string;
  readonly name: string;
  /** Command that starts it, as its own installer names it, and its arguments. */
  readonly command: string;
  readonly args: readonly string[];
  /** npm package that has the command. Null: it has an installer of its own. */
  readonly package: { readonly name: string; readonly version: string } | null;
  /** Oldest Node that starts it. Null: it brings its own runtime. */
  readonly node: number | null;
  /** Command line that signs in, for a terminal. */
  readonly signIn: string;
  readonly home: string;
}

const npm = (name: string, version: string) => ({ name, version });

/** State of 28 November 2026 (docs/agents.md). */
export const registeredAgents: readonly RegisteredAgent[] = [
  {
    id: 'claude',
    name: 'Claude Code',
    command: 'claude-agent-acp',
    args: [],
    package: npm('@agentclientprotocol/claude-agent-acp', '0.101.0'),
    node: 22,
    signIn: 'claude /login',
    home: 'https://github.com/agentclientprotocol/claude-agent-acp',
  },
  {
    id: 'codex',
    name: 'Codex',
    command: 'codex-acp',
    args: [],
    package: npm('@agentclientprotocol/codex-acp', '2.6.0'),
    node: 22,
    signIn: 'codex login',
    home: 'https://github.com/agentclientprotocol/codex-acp',
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    command: 'gemini',
    args: ['--acp'],
    package: npm('@google/gemini-cli', '0.61.0'),
    node: 20,
    signIn: 'gemini',
    home: 'https://github.com/google-gemini/gemini-cli',
  },
  {
    id: 'opencode',
    name: 'opencode',
    command: 'opencode',
    args: ['acp'],
    package: npm('opencode-ai', '1.18.33'),
    node: null,
    signIn: 'opencode auth login',
    home: 'https://opencode.ai',
  },
  {
    id: 'qwen',
    name: 'Qwen Code',
    command: 'qwen',
    args: ['--acp'],
    package: npm('@qwen-code/qwen-code', '0.24.4'),
    node: 22,
    signIn: 'qwen',
    home: 'https://github.com/QwenLM/qwen-code',
  },
  {
    id: 'copilot',
    name: 'Copilot CLI',
    command: 'copilot',
    args: ['--acp', '--stdio'],
    package: npm('@github/copilot', '1.0.102'),
    node: 22,
    signIn: 'copilot',
    home: 'https://github.com/github/copilot-cli',
  },
  {
    id: 'kimi',
    name: 'Kimi Code',
    command: 'kimi',
    args: ['acp'],
    package: npm('@moonshot-ai/kimi-code', '2.1.0'),
    node: 22,
    signIn: 'kimi login',
    home: 'https://github.com/MoonshotAI',
  },
  {
    id: 'cline',
    name: 'Cline',
    command: 'cline',
    args: ['--acp'],
    package: npm('cline', '3.0.65'),
    node: 20,
    signIn: 'cline auth',
    home: 'https://github.com/cline/cline',
  },
  {
    id: 'kilo',
    name: 'Kilo',
    command: 'kilo',
    args: ['acp'],
    package: npm('@kilocode/cli', '7.8.1'),
    node: null,
    signIn: 'kilo auth login',
    home: 'https://kilocode.ai',
  },
  {
    id: 'hermes-agent',
    name: 'Hermes Agent',
    command: 'hermes',
    args: ['acp'],
    package: null,
    node: null,
    signIn: 'hermes login',
    home: 'https://github.com/NousResearch/hermes-agent',
  },
  {
    id: 'goose',
    name: 'goose',
    command: 'goose',
    args: ['acp'],
    package: null,
    node: null,
    signIn: 'goose configure',
    home: 'https://block.github.io/goose',
  },
];

/** An agent of the user's settings: `hermes.agents`, by its name. */
export interface AgentEntry {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Agent of the registry that it is. Null: an unknown one, without rules. */
  readonly agent: string | null;
}

export function profileOf({ name, agent }: AgentEntry): AgentProfile {
  return { id: agent ?? name, name, rules: (agent === null ? undefined : agentRules[agent]) ?? {} };
}

/** Reads a command line as a shell without variables would: words, with quotes around those that have blanks. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}
