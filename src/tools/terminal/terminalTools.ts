import type { AnyTool } from '../tool';
import { commandOutputTool, stopCommandTool } from './commandOutputTools';
import { runCommandTool } from './runCommandTool';
import type { TerminalDeps } from './terminalDeps';

/** Tools that run commands, read their output, and stop them. */
export function terminalTools(deps: TerminalDeps): readonly AnyTool[] {
  return [runCommandTool(deps), commandOutputTool(deps), stopCommandTool(deps)];
}
