import * as vscode from 'vscode';
import { languageModels } from '../common/editorFeatures';
import { SettingsNotices } from '../settings/settingsNotices';
import { StorageMove } from '../storage/storageMove';
import { notifyPrefixes } from '../terminal/prefixNotice';
import type { WindowDeps } from './windowParts';

/** Makes the parts of a window follow changes from outside and changes of each other. */
export function followChanges(deps: WindowDeps): void {
  const { own, history, gateway, activeChat, chat, sessions, containerNotice, clock, log } = deps;
  const { approvalNotices, showStatus } = deps;
  const storeStatus = history.status;
  own(
    deps.onDidChangeShown(() => {
      showStatus();
      sessions.shownChanged();
      containerNotice.update();
    }),
  );
  own(
    new StorageMove(history.storageFolder, {
      clock,
      wantedFolder: () => history.wantedFolder(),
      onDidChangeSettings: deps.settings.onDidChange,
      isUsed: () => history.connection.isUsed || gateway.turns.running().length > 0,
      move: (folder) => {
        log.info(`The settings name another folder now. This window keeps its sessions in ${folder}.`);
        for (const each of activeChat.all) each.leaveStore();
        history.moveTo(folder);
        deps.moved.run();
      },
      setNotices: (notices) => storeStatus.setNotices('storage folder', notices),
    }),
  );
  own(storeStatus.onDidChange(showStatus));
  own(deps.sync.onDidChange(showStatus));
  own(approvalNotices.onDidChange(() => (showStatus(), chat.showWaiting(approvalNotices.count))));
  followSettings(deps);
  followEditor(deps);
  showStatus();
  // After activation: this reads the disk.
  const lookAround = clock.after(0, () => containerNotice.update());
  own({ dispose: lookAround });
}

function followSettings({
  own,
  context,
  settings,
  history,
  models,
  memory,
  gateway,
  activeChat,
  terminal,
}: WindowDeps): void {
  own(new SettingsNotices(settings, history.status));
  own(settings.onDidChange(() => (models.invalidate(), gateway.agents.memoryChanged())));
  own(settings.onDidChange(() => activeChat.all.forEach((each) => each.usualModeChanged())));
  own(settings.onDidChange(() => void terminal.checkSandbox()));
  own(notifyPrefixes({ settings, terminal, memory: context.globalState }));
  own(context.secrets.onDidChange(() => models.invalidate()));
  own(memory.providers.onDidChange(() => gateway.agents.memoryChanged()));
}

function followEditor({ own, models, activeChat, project, terminal }: WindowDeps): void {
  const { workspace } = vscode;
  const foldersChanged = (): void => activeChat.all.forEach((each) => each.renderAgain());
  const changed = languageModels()?.onDidChangeChatModels(() => models.editorModelsChanged());
  if (changed !== undefined) own(changed);
  own(project.onDidChange(() => activeChat.all.forEach((each) => each.promptFilesChanged())));
  own(terminal.onDidChangeSandbox(() => activeChat.all.forEach((each) => each.sandboxChanged())));
  own(terminal.running.onDidChange(() => activeChat.all.forEach((each) => each.commandsChanged())));
  own(workspace.onDidGrantWorkspaceTrust(() => activeChat.all.forEach((each) => each.trustChanged())));
  own(workspace.onDidChangeWorkspaceFolders(foldersChanged));
}
