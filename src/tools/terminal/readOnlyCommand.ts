import { lookedAt } from '../approval/shell/readOnlyCommands';
import { NotUnderstood } from '../approval/shell/shellCommand';
import { parseShell } from '../approval/shell/shellParser';

/** True when a command, parsed as a POSIX shell would, certainly changes nothing: every part of it only reads, and
 *  nothing is redirected. A command that cannot be parsed may change anything. */
export function isReadOnlyCommand(command: string): boolean {
  const script = parseShell(command);
  if (script instanceof NotUnderstood || script.parts.length === 0) return false;
  return script.parts.every(({ words, assignments, redirects, hasExpandedInput }) => {
    if (assignments.length > 0 || redirects.length > 0 || hasExpandedInput) return false;
    return words[0]?.text === 'cd' || lookedAt(words) !== null;
  });
}
