import type { AnyTool } from '../tool';
import { commandOutputTool, stopCommandTool } from './commandOutputTools';
import { runCommandTool } from './runCommandTool';
import type { TerminalNeeds } from './terminalNeeds';

/** Tools that run commands, read their output, and stop them. */
export function terminalTools(needs: TerminalNeeds): readonly AnyTool[] {
  return [runCommandTool(needs), commandOutputTool(needs), stopCommandTool(needs)];
}
