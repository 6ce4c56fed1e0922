import type { ToolOutput } from '../tools/tool';
import type { Mode } from '../transcript/approval';
import type { HookEventName, HookRun } from '../transcript/hookRun';
import { isJsonObject } from '../transcript/json';
import type { ToolCallPart } from '../transcript/part';
import type { Failure } from '../transcript/stopReason';

export interface HookEvent {
  readonly name: HookEventName;
  readonly sessionId: string;
  readonly mode: Mode;
  /** For events of a call, with the arguments that it runs with. */
  readonly call?: ToolCallPart;
  /** For `PreToolUse`: the arguments with which the call would run if it was called with these. */
  readonly bound?: (args: string) => string;
  /** For events after a call. */
  readonly output?: ToolOutput;
  /** For `UserPromptSubmit`. */
  readonly prompt?: string;
  /** For `Stop`: true when a hook added the prompt that was answered. */
  readonly isAgain?: boolean;
  /** What a matcher means without a call: the source of `SessionStart`, the kind of agent of `SubagentStart` and
   *  `SubagentStop`, the trigger of `PreCompact`, the kind of `Notification`, the reason of `SessionEnd`. */
  readonly about?: string;
  /** For `Notification`. */
  readonly message?: string;
}

/** What the hooks of one event say together: the strictest counts. */
export interface HookAnswer {
  /** none: nothing stands against it. It never lifts a denial, or a question to the user. */
  readonly decision: 'none' | 'ask' | 'deny';
  /** For the model and the user. Empty for none. */
  readonly reason: string;
  /** The call's arguments from now on, as JSON text. Null: unchanged. */
  readonly arguments: string | null;
  /** Text for the model. Empty for none. */
  readonly context: string;
  /** Set to end the turn. */
  readonly stop: Failure | null;
  readonly runs: readonly HookRun[];
}

/** Programs of the user or the folder that run at moments of a turn. */
export interface TurnHooks {
  /** Never rejects. A hook that may block and gives no answer blocks. */
  run(event: HookEvent, signal: AbortSignal): Promise<HookAnswer>;
}

export const noAnswer: HookAnswer = {
  decision: 'none',
  reason: '',
  arguments: null,
  context: '',
  stop: null,
  runs: [],
};

/** Kind of a sub-agent that no file describes, by its name in Claude's format. */
export const usualAgent = 'general-purpose';

/** What hooks of two moments said about one call. The first decision counts. */
export function bothAnswers(first: HookAnswer, second: HookAnswer): HookAnswer {
  const context = [first.context, second.context].filter((text) => text !== '').join('\n\n');
  return { ...first, context, stop: first.stop ?? second.stop, runs: [...first.runs, ...second.runs] };
}

/** Ends a turn because a hook said so. */
export class HookStop extends Error {
  override readonly name = 'HookStop';
  constructor(readonly failure: Failure) {
    super(failure.sentence);
  }
}

/** Characters of changed arguments that the model is told. */
const longestChange = 1000;

/** Adds to a call's output what hooks said: for the model as text, for surfaces as details. */
export function withHooks(output: ToolOutput, before: HookAnswer, after: readonly HookAnswer[] = []): ToolOutput {
  const runs = [before, ...after].flatMap((answer) => answer.runs);
  if (runs.length === 0) return output;
  const { details } = output;
  const notes = [
    before.arguments === null ? '' : `(A hook changed the arguments of this call to ${shortened(before.arguments)}.)`,
    before.context,
    ...after.flatMap(({ decision, reason, context }) => [
      decision === 'deny' ? `(A hook objects to this result: ${reason})` : '',
      context,
    ]),
  ].filter((note) => note !== '');
  return {
    ...output,
    text: [output.text, ...notes].join('\n\n'),
    details: { ...(isJsonObject(details) ? details : {}), hooks: runs.map((run) => ({ ...run })) },
  };
}

/** The model wrote the rest of it, and a file's whole content may be in it. */
function shortened(args: string): string {
  return args.length <= longestChange ? args : `${args.slice(0, longestChange)}… (${args.length} characters)`;
}

/** Result of a call that a hook blocked. It did not run. */
export function blockedOutput(reason: string): ToolOutput {
  const words = 'Respect it; do not try it another way.';
  return { outcome: 'denied', text: `A hook blocked this call, and the person was not asked: ${reason} ${words}` };
}
