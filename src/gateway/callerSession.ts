import type { TurnRunner } from './turnRunner';

/** The session that decides for this one: a sub-agent does as the session it works for. */
export function decidingSession(runner: Pick<TurnRunner, 'all'>, sessionId: string): string {
  return runner.all().find(({ session }) => session.id === sessionId)?.subAgent?.caller.session.id ?? sessionId;
}
