import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { type VscodeSession, waitFor, type Workbench } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { EXTENSION_ID } from '../support/extensionId';

/** Windows of a shared VS Code on storage folders that a test gives and takes as it likes, one window at a time. */
export interface StorageWindows {
  /** A window whose sessions are in `folder`, as they are there now. The one before is closed first, so that nobody else looks into it. */
  panelOn(folder: string): Promise<ChatPanel>;
  /** Leaves a store as a window does that is closed. */
  leave(folder: string): Promise<void>;
  /** A new storage folder of this name, and in it the one that the workspace of these windows has. */
  storage(name: string): Promise<string>;
  /** The folders that windows said to keep their sessions in, the newest last. */
  keptIn(): readonly string[];
}

export function storageWindows(vscode: () => VscodeSession): StorageWindows {
  let workbench: Workbench | undefined;
  /** Under the chosen folder every workspace has a folder of its own; its name, once a window has made one. */
  let workspaceName: string | undefined;

  // Each host has a log file of its own; lines begin with their time.
  const keptIn = (): readonly string[] => {
    const said = vscode()
      .extensionLog(EXTENSION_ID)
      .split('\n')
      .filter((line) => line.includes('This window keeps its sessions in '))
      .sort();
    return said.map((line) => /keeps its sessions in (.*)\.$/.exec(line)?.[1] ?? '');
  };

  /** Closes a window as a person does, and waits until its extension host is gone: its store is closed in order then. */
  const closeWindow = async (window: Workbench): Promise<void> => {
    await window.page.goto('about:blank');
    await waitFor('the extension host to end', () => vscode().server.extensionHostPids().length === 0);
  };

  const panelOn = async (folder: string): Promise<ChatPanel> => {
    const isFirst = workbench === undefined;
    if (workbench !== undefined) await closeWindow(workbench);
    vscode().machineSettings.update({ 'hermes.storage.path': path.dirname(folder) });
    workbench ??= await vscode().open(vscode().sampleFolder());
    if (!isFirst) await workbench.open(vscode().sampleFolder());
    // Whether a window shows the panel again is the editor's memory, which it writes in its own time; a window here may be too short for that.
    const panel = await ChatPanel.open(workbench);
    // The window may come up with the settings of last time and hear of these a moment later.
    await waitFor(`the window to keep its sessions below ${path.dirname(folder)}`, () =>
      keptIn()
        .at(-1)
        ?.startsWith(`${path.dirname(folder)}/`),
    );
    return panel;
  };

  return {
    panelOn,
    keptIn,
    leave: async (folder) => {
      if (workbench !== undefined) await closeWindow(workbench);
      expect(fs.existsSync(path.join(folder, 'state.db.lock'))).toBe(false);
    },
    storage: async (name) => {
      const chosen = path.join(vscode().root, 'storage', name);
      if (workspaceName === undefined) {
        const probe = path.join(vscode().root, 'storage', 'probe');
        fs.mkdirSync(probe, { recursive: true });
        // A store is made when there is something to keep.
        await (await panelOn(path.join(probe, 'workspace'))).send('Hello');
        workspaceName = await waitFor('the workspace to get its folder', () => fs.readdirSync(probe)[0]);
      }
      const folder = path.join(chosen, workspaceName);
      fs.mkdirSync(folder, { recursive: true });
      return folder;
    },
  };
}
