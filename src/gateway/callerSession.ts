import type { TurnRunner } from './turnRunner';

/** Returns the session whose mode and effort apply here: a sub-agent uses those of the session it works for. */
export function decidingSession(runner: Pick<TurnRunner, 'all'>, sessionId: string): string {
  return runner.all().find(({ session }) => session.id === sessionId)?.subAgent?.caller.session.id ?? sessionId;
}
