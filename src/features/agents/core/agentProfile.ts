import type { Mode } from '../../../transcript/approval';

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
