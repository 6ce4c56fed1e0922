import * as v from 'valibot';
import type { JsonValue } from './json';

/** Moments at which hooks run, by their names in Claude's format. */
export const hookEvents = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'PreCompact',
  'SubagentStart',
  'SubagentStop',
  'Stop',
  'Notification',
  'SessionEnd',
] as const;
export type HookEventName = (typeof hookEvents)[number];

/** Result of one hook, as it is stored and shown. `hook`: its file and command. blocked: it objects, or it could object
 *  and gave no answer. failed: it gave no answer, and that blocks nothing. */
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

/** True for a hook that did not let the call run: it said so, or gave no answer. */
export function isObjection({ event, outcome }: HookRun): boolean {
  return (event === 'PreToolUse' || event === 'PermissionRequest') && outcome === 'blocked';
}
