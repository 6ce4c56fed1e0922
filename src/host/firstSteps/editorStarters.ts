import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { Log } from '../../base/log';
import { gitCommand } from '../../tools/knowledge/git/gitCommand';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import { gitExecutable } from '../knowledge/gitExecutable';
import { StarterService } from './starterService';

/** Creates the suggested first prompts of this window. */
export function editorStarters(files: WorkspaceFiles, log: Log): StarterService {
  return new StarterService({
    files,
    log,
    git: gitCommand({ executable: gitExecutable, startIn: homedir(), environment: process.env }),
    isTrusted: () => vscode.workspace.isTrusted,
  });
}
