import * as vscode from 'vscode';
import { chatSurfaceId } from '../chat/activeChat';
import { chatTabViewType } from '../chat/chatTabs';
import { chatViewId } from '../chat/chatView';
import { describeError } from '../common/describeError';
import { languageModels } from '../common/editorFeatures';
import { onErased } from '../common/onErased';
import { AnswerNotices } from '../notifications/answerNotices';
import { StatusBar } from '../notifications/statusBar';
import { StatusPresenter } from '../notifications/statusPresenter';
import { SettingsNotices } from '../settings/settingsNotices';
import { ContainerNotice, thisMachineFacts } from '../storage/containerNotice';
import { StorageMove } from '../storage/storageMove';
import { WindowWork } from '../storage/windowWork';
import { notifyPrefixes } from '../terminal/prefixNotice';
import { noteEditorWrites } from '../terminal/removedFilesNotice';
import type { WindowContext } from './windowContext';

/** Makes the parts of a window follow changes from outside and changes of each other. */
export function followChanges(window: WindowContext): void {
  const { own, history, gateway, chat, sessions, approvalNotices, clock, log } = window;
  own(vscode.window.registerWebviewViewProvider(chatViewId, chat));
  own(vscode.window.registerWebviewPanelSerializer(chatTabViewType, window.chatTabs));
  own(new AnswerNotices(window));
  const containerNotice = followStorage(window);
  const status = own(new StatusPresenter(window, own(new StatusBar())));
  const showStatus = (): void => status.show();
  own(window.terminal.running.onDidChange(showStatus));
  own(
    window.shownChanges.event(() => {
      showStatus();
      sessions.shownChanged();
      containerNotice.update();
    }),
  );
  own(history.status.onDidChange(showStatus));
  own(window.sync.onDidChange(showStatus));
  own(approvalNotices.onDidChange(() => (showStatus(), chat.showWaiting(approvalNotices.count))));
  window.terminal.cleanUp();
  own(
    onErased(window, () => {
      window.recorder
        .forget()
        .catch((error: unknown) => log.warn(`Snapshots of files were not removed: ${describeError(error).sentence}`));
    }),
  );
  // The page answers this call, not the extension host.
  history.connection.setWorkGuard(new WindowWork(gateway, () => vscode.commands.getCommands(true), clock));
  followSettings(window);
  followEditor(window);
  showStatus();
}

/** Follows the folder of the history. Returns the notice about one that dies with its container. */
function followStorage(window: WindowContext): ContainerNotice {
  const { own, context, history, gateway, activeChat, settings, clock, log } = window;
  own(
    new StorageMove(history.storageFolder, {
      clock,
      wantedFolder: () => history.wantedFolder(),
      onDidChangeSettings: settings.onDidChange,
      isUsed: () => history.connection.isUsed || gateway.turns.running().length > 0,
      move: (folder) => {
        log.info(`The settings name another folder now. This window keeps its sessions in ${folder}.`);
        for (const each of activeChat.all) each.leaveStore();
        history.moveTo(folder);
        window.moved.run();
      },
      setNotices: (notices) => history.status.setNotices('storage folder', notices),
    }),
  );
  const notice = new ContainerNotice({
    storeStatus: history.status,
    folder: () => history.folder,
    facts: thisMachineFacts(vscode.env.remoteName),
    isEmptyState: () => gateway.surfaces.shownSession(chatSurfaceId) === null,
    memory: context.globalState,
    sync: window.sync,
    chooseFolder: () => window.editor.openSettings('hermes.storage.path'),
  });
  own(window.sync.onDidChange(() => notice.update()));
  // After activation: this reads the disk.
  own({ dispose: clock.after(0, () => notice.update()) });
  return notice;
}

function followSettings(window: WindowContext): void {
  const { own, context, settings, history, models, memory, gateway, activeChat, terminal } = window;
  own(new SettingsNotices(settings, history.status));
  own(settings.onDidChange(() => (models.invalidate(), gateway.agents.memoryChanged())));
  own(settings.onDidChange(() => activeChat.all.forEach((each) => each.usualModeChanged())));
  own(settings.onDidChange(() => void terminal.checkSandbox()));
  own(notifyPrefixes(window));
  own(context.secrets.onDidChange(() => models.invalidate()));
  own(memory.providers.onDidChange(() => gateway.agents.memoryChanged()));
}

function followEditor({ own, models, activeChat, project, terminal, writtenOrders }: WindowContext): void {
  const { workspace } = vscode;
  const foldersChanged = (): void => activeChat.all.forEach((each) => each.renderAgain());
  const changed = languageModels()?.onDidChangeChatModels(() => models.editorModelsChanged());
  if (changed !== undefined) own(changed);
  own(noteEditorWrites(writtenOrders));
  own(project.onDidChange(() => activeChat.all.forEach((each) => each.promptFilesChanged())));
  own(terminal.onDidChangeSandbox(() => activeChat.all.forEach((each) => each.sandboxChanged())));
  own(terminal.running.onDidChange(() => activeChat.all.forEach((each) => each.commandsChanged())));
  own(workspace.onDidGrantWorkspaceTrust(() => activeChat.all.forEach((each) => each.trustChanged())));
  own(workspace.onDidChangeWorkspaceFolders(foldersChanged));
}
