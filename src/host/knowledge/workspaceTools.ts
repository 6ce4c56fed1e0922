import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import { AccessPaths } from '../../tools/accessPaths';
import { addressClass } from '../../tools/approval/addressClass';
import { type DiagnosticsAfterEdit, diagnosticsAfterEdit } from '../../tools/knowledge/diagnosticsAfterEdit';
import { gitCommand } from '../../tools/knowledge/git/gitCommand';
import { gitTools } from '../../tools/knowledge/git/gitTools';
import { exitPlanModeTool } from '../../tools/plan/exitPlanMode';
import type { DeniesReading } from '../../tools/secretFiles';
import { todoWriteTool } from '../../tools/todo/todoList';
import type { AnyTool } from '../../tools/tool';
import { fetchUrlTool } from '../../tools/web/fetchUrl';
import { pageReader } from '../../tools/web/page/pageReader';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import { WorkspacePaths } from '../../tools/workspacePaths';
import { problemsChanged, VscodeKnowledge } from './vscodeKnowledge';
import { gitExecutable } from './gitExecutable';
import type { KnowledgeDeps } from '../../tools/knowledge/knowledgeSources';
import { overviewTools } from '../../tools/knowledge/overviewTools';
import { placeTools } from '../../tools/knowledge/placeTools';

interface WorkspaceToolsDeps {
  readonly files: WorkspaceFiles;
  readonly deniesReading: DeniesReading;
  readonly clock: Clock;
  readonly distFolder: string;
}

const fetchTimeoutMs = 20_000;
const mostPageBytes = 5 * 1024 * 1024;

/** Tools that read from the editor, Git and the web, and the tools for planning. */
export class WorkspaceTools {
  readonly tools: readonly AnyTool[];
  /** New errors in files that were just edited, for the end of the edit's result. */
  readonly afterEdit: DiagnosticsAfterEdit;

  constructor({ files, deniesReading, clock, distFolder }: WorkspaceToolsDeps) {
    const paths = new WorkspacePaths(files);
    const editor = new VscodeKnowledge();
    const git = gitCommand({ executable: gitExecutable, startIn: homedir(), environment: process.env });
    this.tools = [
      ...knowledgeTools({ editor, files, deniesReading, paths, clock }),
      ...gitTools({
        git,
        files,
        deniesReading,
        paths,
        access: new AccessPaths(files),
        isTrusted: () => vscode.workspace.isTrusted,
      }),
      fetchUrlTool({
        request: {
          resolve: (host) => lookup(host, { all: true }),
          addressClass,
          timeoutMs: fetchTimeoutMs,
          maxBytes: mostPageBytes,
        },
        readPage: pageReader(join(distFolder, 'pageWorker.js')),
        mark: () => randomBytes(8).toString('hex'),
      }),
      todoWriteTool(),
      exitPlanModeTool(),
    ];
    this.afterEdit = diagnosticsAfterEdit({ editor, changed: problemsChanged, display: (path) => paths.display(path) });
  }
}

/** Tools that query the editor and its language extensions. They change nothing and stay inside the open folders, so
 *  they never ask for approval. */
export function knowledgeTools(deps: KnowledgeDeps): readonly AnyTool[] {
  return [...overviewTools(deps), ...placeTools(deps)];
}
