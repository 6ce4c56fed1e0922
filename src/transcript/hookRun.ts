import * as v from 'valibot';
import type { JsonValue } from './json';

/** Moments at which hooks run, by their names in Claude's format. */
export const hookEvents = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PreCompact',
  'SubagentStart',
  'Stop',
] as const;
export type HookEventName = (typeof hookEvents)[number];

/** Result of one hook, as it is stored and shown. `hook`: its file and command. failed: it did not give an answer; for
 *  one that may block, this blocks too unless it only reported an error. */
export const hookRun = v.object({
  event: v.picklist(hookEvents),
  hook: v.string(),
  outcome: v.picklist(['passed', 'blocked', 'asked', 'changed', 'failed']),
  /** Its reason or message; empty for none. */
  text: v.string(),
});
export type HookRun = v.InferOutput<typeof hookRun>;

const withRuns = v.object({ hooks: v.array(hookRun) });

/** Hooks that ran for a call, from the details of its result. */
export function hookRunsIn(details: JsonValue | undefined): readonly HookRun[] {
  const parsed = v.safeParse(withRuns, details);
  return parsed.success ? parsed.output.hooks : [];
}
