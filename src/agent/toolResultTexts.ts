import type { ToolOutput } from '../tools/tool';

/** Result texts for calls that did not run as the model wanted. */
export const toolResultTexts = {
  planMode: (tool: string) =>
    `Plan mode: ${tool} could change something, so it was not run. Only look, for now; then present a plan.`,
  noPlanMode: 'Plan mode is off, so there is nothing to approve: do the work. What needs it is asked for call by call.',
  neverTheSame:
    'What this call would do was another thing each time the person was asked, so it was not run. Look at what ' +
    'it works on first.',
  leftWaiting:
    'The server waited for an answer of the person when its connection ended. The answer did not reach it, and the ' +
    'call may have run in part: check before you repeat it.',
  stopped: 'The person stopped this call. It may have run in part.',
} as const;

/** Result of a call that the user denied. `reason`: the user's own words. Null for none. */
export function deniedOutput(subject: string, reason: string | null): ToolOutput {
  const words = reason?.trim() ?? '';
  const reasonGiven = words === '' ? '' : ` They said: ${words}`;
  return {
    outcome: 'denied',
    text:
      `The person did not allow this: ${subject}.${reasonGiven} Do not try it again another way; ask or go on ` +
      'without it.',
    details: { kind: 'denied', reason: words === '' ? null : words },
  };
}
