import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { personalPlaces } from '../../agent/project/personalPlaces';
import { AccessPaths } from '../../tools/accessPaths';
import { delegateTaskTool } from '../../tools/delegate/delegateTask';
import { ChangeRecorder } from '../../tools/files/changes/changeRecorder';
import { runGit } from '../../tools/files/changes/gitProgram';
import { GitSnapshots } from '../../tools/files/changes/gitSnapshots';
import { fileTools } from '../../tools/files/fileTools';
import { withDiagnostics } from '../../tools/knowledge/diagnosticsAfterEdit';
import { readOnlyTools } from '../../tools/readOnlyTools';
import { WrittenOrders } from '../../tools/sandbox/writtenOrders';
import { ToolRegistry } from '../../tools/toolRegistry';
import { ApprovalRules } from '../approvals/approvalRules';
import { deniedBySettings } from '../approvals/settingsPolicy';
import { guardedFolders, ownFolders } from '../approvals/guardedFolders';
import { registerCommands } from '../common/commands';
import { WorkspaceTools } from '../knowledge/workspaceTools';
import { noteEditorWrites } from '../terminal/removedFilesNotice';
import { TerminalFeature } from '../terminal/terminalFeature';
import { EditorFileEditor } from '../workspace/editorFileEditor';
import { EditorTextSearch } from '../workspace/editorTextSearch';
import { EditorWorkspaceFiles } from '../workspace/editorWorkspaceFiles';
import { ProjectFiles } from '../workspace/projectFiles';
import { findRipgrep, ripgrepCandidates } from '../workspace/ripgrepPath';
import type { WindowBasics } from './windowBasics';

/** Files of a window, and the features that read, change or run them. */
interface WindowFiles {
  readonly files: EditorWorkspaceFiles;
  readonly fileEditor: EditorFileEditor;
  readonly recorder: ChangeRecorder;
  readonly terminal: TerminalFeature;
}

/** Tools of a window's agents, and the features they belong to. */
export interface WindowTools extends WindowFiles {
  readonly approvals: ApprovalRules;
  readonly tools: ToolRegistry;
  readonly project: ProjectFiles;
}

export function createTools(basics: WindowBasics): WindowTools {
  const { own, context, distFolder, settings, clock, log } = basics;
  const isInstalled = context.extensionMode === vscode.ExtensionMode.Production;
  const parts = createFiles(basics, isInstalled);
  const { files, fileEditor, recorder, terminal } = parts;
  const approvals = new ApprovalRules({
    settings,
    files,
    memory: context.workspaceState,
    guarded: guardedFolders(context, isInstalled),
    isOwnOutput: (path, conversationId) => terminal.isOwnOutput(path, conversationId),
  });
  const { deniesReading } = approvals;
  const knowledge = new WorkspaceTools({ files, deniesReading, clock, distFolder });
  const editTools = fileTools({
    paths: new AccessPaths(files),
    editor: fileEditor,
    journal: recorder.journal,
  }).map((tool) => withDiagnostics(tool, knowledge.afterEdit));
  const tools = new ToolRegistry([
    ...readOnlyTools(files, deniesReading),
    ...editTools,
    ...terminal.tools,
    ...knowledge.tools,
    delegateTaskTool(),
  ]);
  const personal = personalPlaces(homedir(), process.env, process.platform);
  const project = own(new ProjectFiles({ files, deniesReading, personal, settings, clock, log }));
  own(registerCommands(approvals.commands, log));
  return { ...parts, approvals, tools, project };
}

function createFiles(
  { own, context, distFolder, settings, history, clock, log }: WindowBasics,
  isInstalled: boolean,
): WindowFiles {
  const textSearch = new EditorTextSearch(
    () => findRipgrep(ripgrepCandidates(vscode.env.appRoot, process.platform, process.arch)),
    log,
  );
  const files = new EditorWorkspaceFiles(textSearch);
  const writtenOrders = new WrittenOrders();
  own(noteEditorWrites(writtenOrders));
  const fileEditor = new EditorFileEditor((path, bytes) => writtenOrders.note(path, bytes));
  const recorder = new ChangeRecorder({
    store: history.store,
    git: new GitSnapshots(runGit, clock, () => join(history.folder, 'checkpoints')),
    clock,
    log,
    ids: { uid: randomUUID },
    isOn: () => settings.current.checkpoints,
    roots: () => files.roots().map(({ path }) => path),
  });
  const ownPlaces = ownFolders(context, isInstalled);
  const terminal = own(
    new TerminalFeature({
      files,
      clock,
      log,
      secrets: context.secrets,
      checkpoint: recorder.checkpoint,
      storageFolder: () => history.folder,
      timeoutSeconds: () => settings.current.terminalTimeoutSeconds,
      sandbox: {
        distFolder,
        writtenOrders,
        denied: () => deniedBySettings({ settings, files }),
        setting: () => settings.current.sandbox,
        own: () => ({ ...ownPlaces, kept: [...ownPlaces.kept, history.folder] }),
      },
    }),
  );
  return { files, fileEditor, recorder, terminal };
}
