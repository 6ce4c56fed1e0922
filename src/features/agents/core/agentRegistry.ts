import * as v from 'valibot';
import type { Mode } from '../../../transcript/approval';

/** An agent that this product knows how to start. A snapshot: versions that were tried, refreshed only by the user. */
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

/** Default: no arguments, no package, and a runtime of its own. */
const agent = (
  id: string,
  name: string,
  command: string,
  more: Pick<RegisteredAgent, 'signIn' | 'home'> & Partial<RegisteredAgent>,
): RegisteredAgent => ({ args: [], package: null, node: null, ...more, id, name, command });

/** State of 28 November 2026 (docs/agents.md). */
export const registeredAgents: readonly RegisteredAgent[] = [
  agent('claude', 'Claude Code', 'claude-agent-acp', {
    package: npm('@agentclientprotocol/claude-agent-acp', '0.101.0'),
    node: 22,
    signIn: 'claude /login',
    home: 'https://github.com/agentclientprotocol/claude-agent-acp',
  }),
  agent('codex', 'Codex', 'codex-acp', {
    package: npm('@agentclientprotocol/codex-acp', '2.6.0'),
    node: 22,
    signIn: 'codex login',
    home: 'https://github.com/agentclientprotocol/codex-acp',
  }),
  agent('gemini', 'Gemini CLI', 'gemini', {
    args: ['--acp'],
    package: npm('@google/gemini-cli', '0.61.0'),
    node: 20,
    signIn: 'gemini',
    home: 'https://github.com/google-gemini/gemini-cli',
  }),
  agent('opencode', 'opencode', 'opencode', {
    args: ['acp'],
    package: npm('opencode-ai', '1.18.33'),
    signIn: 'opencode auth login',
    home: 'https://opencode.ai',
  }),
  agent('qwen', 'Qwen Code', 'qwen', {
    args: ['--acp'],
    package: npm('@qwen-code/qwen-code', '0.24.4'),
    node: 22,
    signIn: 'qwen',
    home: 'https://github.com/QwenLM/qwen-code',
  }),
  agent('copilot', 'Copilot CLI', 'copilot', {
    args: ['--acp', '--stdio'],
    package: npm('@github/copilot', '1.0.102'),
    node: 22,
    signIn: 'copilot',
    home: 'https://github.com/github/copilot-cli',
  }),
  agent('kimi', 'Kimi Code', 'kimi', {
    args: ['acp'],
    package: npm('@moonshot-ai/kimi-code', '2.1.0'),
    node: 22,
    signIn: 'kimi login',
    home: 'https://github.com/MoonshotAI',
  }),
  agent('cline', 'Cline', 'cline', {
    args: ['--acp'],
    package: npm('cline', '3.0.65'),
    node: 20,
    signIn: 'cline auth',
    home: 'https://github.com/cline/cline',
  }),
  agent('kilo', 'Kilo', 'kilo', {
    args: ['acp'],
    package: npm('@kilocode/cli', '7.8.1'),
    signIn: 'kilo auth login',
    home: 'https://kilocode.ai',
  }),
  agent('hermes-agent', 'Hermes Agent', 'hermes', {
    args: ['acp'],
    signIn: 'hermes login',
    home: 'https://github.com/NousResearch/hermes-agent',
  }),
  agent('goose', 'goose', 'goose', {
    args: ['acp'],
    signIn: 'goose configure',
    home: 'https://block.github.io/goose',
  }),
];

/** Where the public registry of the Agent Client Protocol is. */
export const registryAddress = 'https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json';

const short = v.pipe(v.string(), v.trim(), v.nonEmpty(), v.maxLength(80), v.regex(/^[^\p{Cc}\p{Cf}/]*$/u));
const link = v.pipe(v.string(), v.maxLength(300), v.regex(/^https:\/\/[\w.-]+(?:[/?#]\S*)?$/));
const listedSchema = v.object({
  id: v.pipe(v.string(), v.regex(/^[a-z\d][a-z\d._-]{0,60}$/)),
  name: short,
  repository: v.fallback(v.optional(link), undefined),
  website: v.fallback(v.optional(link), undefined),
  distribution: v.object({
    npx: v.fallback(
      v.optional(
        v.object({
          package: v.pipe(v.string(), v.regex(/^(?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*@\d+\.\d+\.\d+[\w.+-]*$/)),
          args: v.optional(v.array(v.string()), []),
        }),
      ),
      undefined,
    ),
  }),
});
const registrySchema = v.object({ agents: v.array(v.unknown()) });

/** Agents of the registry, with what is known of those that were tried. An entry that cannot be read is left out.
 *  Throws when it is no registry. */
export function readRegistry(value: unknown): readonly RegisteredAgent[] {
  const listed = v.parse(registrySchema, value).agents.flatMap((item): RegisteredAgent[] => {
    const parsed = v.safeParse(listedSchema, item);
    if (!parsed.success) return [];
    const { id, name, repository, website, distribution } = parsed.output;
    const { npx } = distribution;
    const home = website ?? repository;
    const isTaken = registeredAgents.some((known) => known.id === id || known.name === name);
    if (npx === undefined) return home === undefined || isTaken ? [] : [agent(id, name, id, { signIn: '', home })];
    const at = npx.package.lastIndexOf('@');
    const [packageName, version] = [npx.package.slice(0, at), npx.package.slice(at + 1)];
    const known = registeredAgents.find((agent) => agent.package?.name === packageName);
    // Rules and the name of an agent that was tried are for its own package only.
    if (known === undefined && isTaken) return [];
    const rest = known ?? agent(id, name, packageName.replace(/^.*\//, ''), { signIn: '', home: home ?? '' });
    return [{ ...rest, args: npx.args, package: npm(packageName, version) }];
  });
  const ids = new Set(listed.map(({ id }) => id));
  return [...listed, ...registeredAgents.filter(({ id }) => !ids.has(id))];
}

export const entrySchema = v.object({
  command: v.pipe(v.string(), v.nonEmpty()),
  args: v.optional(v.array(v.string()), []),
  env: v.optional(v.record(v.string(), v.string()), {}),
  /** Agent of the registry that it is. Null: an unknown one, without rules. */
  agent: v.optional(v.nullable(v.string()), null),
});
/** An agent of the user's settings: `hermes.agents`, by its name. */
export interface AgentEntry extends Readonly<v.InferOutput<typeof entrySchema>> {
  readonly name: string;
}

/** What is known about one agent by measurement (docs/agents.md). Unknown agents have no rules. */
export interface AgentRules {
  /** Offers it the editor's texts and takes its writes (`fs/*`). Only where it was tried. */
  readonly fs?: true;
  /** Its `session/load` may destroy its session: start anew, with a handoff. */
  readonly loadDestroys?: true;
  /** Its mode for each of ours. Absent: its own default. */
  readonly modes?: Partial<Record<Mode, string>>;
  /** It remembers what it said before it was stopped. */
  readonly remembersStopped?: true;
  /** True for an answer whose end is the text of an error. Gets the answer text by message. */
  readonly isFailure?: (texts: readonly { readonly messageId: string | null; readonly text: string }[]) => boolean;
}

const retryLine = /^(?:Retrying \(attempt|Retry finished|Info: .*[Rr]etry|Error: )/m;

/** Rules by id, of the versions that were measured. */
export const agentRules: Readonly<Record<string, AgentRules>> = {
  claude: { modes: { ask: 'default', auto: 'default', plan: 'plan' }, remembersStopped: true },
  codex: {
    // The error of its model comes as a last message without an id, after messages that have one.
    isFailure: (texts) =>
      texts.length > 0 && texts.at(-1)?.messageId === null && texts.some(({ messageId }) => messageId !== null),
  },
  gemini: { loadDestroys: true, modes: { ask: 'default', auto: 'default', plan: 'plan' } },
  qwen: { fs: true, modes: { ask: 'default', auto: 'default', plan: 'plan' }, remembersStopped: true },
  kimi: { fs: true, modes: { ask: 'default', auto: 'default', plan: 'plan' }, remembersStopped: true },
  pi: {
    isFailure: (texts) =>
      retryLine.test(texts.map(({ text }) => text).join('')) &&
      !/Retry finished/.test(texts.map(({ text }) => text).join('')),
  },
  copilot: { isFailure: (texts) => /^Error: /m.test(texts.at(-1)?.text ?? '') },
};

/** An agent that can be started. */
export interface AgentProfile {
  /** "claude", or the name of the user's own entry. */
  readonly id: string;
  readonly name: string;
  readonly rules: AgentRules;
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
