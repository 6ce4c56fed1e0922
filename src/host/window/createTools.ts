import { AccessPaths } from '../../tools/accessPaths';
import { delegateTaskTool } from '../../tools/delegate/delegateTask';
import { fileTools } from '../../tools/files/fileTools';
import { withDiagnostics } from '../../tools/knowledge/diagnosticsAfterEdit';
import { readOnlyTools } from '../../tools/readOnlyTools';
import { ToolRegistry } from '../../tools/toolRegistry';
import { WorkspaceTools } from '../knowledge/workspaceTools';
import type { WindowContext } from './windowContext';

/** Tools of a window's agents. */
export function createTools(window: WindowContext): ToolRegistry {
  const { files, fileEditor, recorder, terminal, clock, distFolder } = window;
  const { deniesReading } = window.approvals;
  const knowledge = new WorkspaceTools({ files, deniesReading, clock, distFolder });
  const editTools = fileTools({
    paths: new AccessPaths(files),
    editor: fileEditor,
    journal: recorder.journal,
  }).map((tool) => withDiagnostics(tool, knowledge.afterEdit));
  return new ToolRegistry([
    ...readOnlyTools(files, deniesReading),
    ...editTools,
    ...terminal.tools,
    ...knowledge.tools,
    delegateTaskTool(),
  ]);
}
