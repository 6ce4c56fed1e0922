import type { AnyTool } from '../tool';
import { commandOutputTool, stopCommandTool } from './commandOutputTools';
import { runCommandTool } from './runCommandTool';
import type { TerminalNeeds } from './terminalNeeds';

/** Running commands, and what belongs to it. */
export function terminalTools(needs: TerminalNeeds): readonly AnyTool[] {
  return [runCommandTool(needs), commandOutputTool(needs), stopCommandTool(needs)];
}
