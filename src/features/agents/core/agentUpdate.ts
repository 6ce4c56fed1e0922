import type { ImagePart } from '../../../transcript/part';
import type { TodoItem } from '../../../tools/todo/todoList';

/** Kinds of tool calls that agents name. */
export const agentCallKinds = [
  ...(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other'] as const),
] as const;
export type AgentCallKind = (typeof agentCallKinds)[number];

export const agentCallStatuses = ['pending', 'in_progress', 'completed', 'failed'] as const;
export type AgentCallStatus = (typeof agentCallStatuses)[number];

/** One item of a call's content. `raw`: an item that this product cannot read, as it came. */
export type AgentCallContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly image: ImagePart }
  | { readonly kind: 'diff'; readonly path: string; readonly before: string | null; readonly after: string }
  | { readonly kind: 'terminal'; readonly id: string }
  | { readonly kind: 'raw'; readonly raw: string };

/** News of one call. Absent: unchanged. */
export interface AgentCallUpdate {
  readonly id: string;
  readonly title?: string;
  readonly callKind?: AgentCallKind;
  readonly status?: AgentCallStatus;
  /** Replaces the content as a whole. */
  readonly content?: readonly AgentCallContent[];
  /** Absolute paths that the call works on. Replaces the list as a whole. */
  readonly paths?: readonly string[];
  readonly input?: unknown;
  readonly output?: unknown;
  /** Output of the call's command: further output, or (`mayRepeat`) perhaps all of it again. */
  readonly printed?: { readonly text: string; readonly mayRepeat: boolean };
  /** End of the call's command. */
  readonly exit?: { readonly code: number | null; readonly signal: string | null };
}

export interface AgentOption {
  readonly id: string;
  readonly name: string;
  /** Purpose that agents name: "mode", "model", "thought_level". Null: none. */
  readonly category: string | null;
  readonly current: string | boolean;
  /** Empty for a switch. */
  readonly choices: readonly { readonly value: string; readonly name: string; readonly description: string | null }[];
}

/** Text that begins a prompt, after a slash. */
export interface AgentCommand {
  readonly name: string;
  readonly description: string;
  /** Describes the text after the name. */
  readonly hint: string | null;
}

/** News from an agent about its session, independent of the protocol's version. */
export type AgentUpdate =
  | OwnUpdate
  /** News of a sub-agent. `parent`: id of the call that started it. */
  | { readonly kind: 'nested'; readonly parent: string; readonly update: OwnUpdate };

export type OwnUpdate =
  | {
      readonly kind: 'text';
      readonly channel: 'text' | 'thinking';
      readonly text: string;
      /** The provider's id of the message. Not unique. Null: none. */
      readonly messageId: string | null;
    }
  | { readonly kind: 'image'; readonly image: ImagePart }
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'call'; readonly isStart: boolean; readonly call: AgentCallUpdate }
  /** A sub-agent with a session of its own. `call` stands for it. */
  | { readonly kind: 'subAgent'; readonly sessionId: string; readonly call: AgentCallUpdate }
  | { readonly kind: 'plan'; readonly items: readonly TodoItem[] }
  | { readonly kind: 'commands'; readonly commands: readonly AgentCommand[] }
  | { readonly kind: 'mode'; readonly mode: string }
  | { readonly kind: 'options'; readonly options: readonly AgentOption[] }
  /** `used` and `size`: tokens of the model's context. `costUsd`: of the session so far. */
  | { readonly kind: 'usage'; readonly used: number; readonly size: number; readonly costUsd: number | null }
  | { readonly kind: 'info'; readonly failure: string | null }
  | { readonly kind: 'notice'; readonly text: string }
  /** `name`: the kind that the agent named. `raw`: the news as it came. */
  | { readonly kind: 'unknown'; readonly name: string; readonly raw: string };
