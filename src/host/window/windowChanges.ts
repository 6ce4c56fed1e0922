import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable';
import { t } from '../../base/translate';
import type { KeptValues } from '../../tools/programTrust';
import { chatSurfaceId } from '../chat/activeChat';
import { chatTabViewType } from '../chat/chatTabs';
import { chatViewId } from '../chat/chatView';
import { describeError } from '../common/describeError';
import { languageModels } from '../common/editorFeatures';
import { onErased } from '../common/onErased';
import { AnswerNotices } from '../notifications/answerNotices';
import { StatusBar } from '../notifications/statusBar';
import { StatusPresenter } from '../notifications/statusPresenter';
import type { ApprovalSettings } from '../settings/settings';
import { SettingsNotices } from '../settings/settingsNotices';
import { ContainerNotice, thisMachineFacts } from '../storage/containerNotice';
import { StorageMove } from '../storage/storageMove';
import { WindowWork } from '../storage/windowWork';
import { noteEditorWrites } from '../terminal/removedFilesNotice';
import type { TerminalFeature } from '../terminal/terminalFeature';
import type { WindowContext } from './windowContext';

interface PrefixWindow {
  readonly settings: { readonly current: { readonly approvals: Pick<ApprovalSettings, 'matchesPrefixes'> } };
  readonly terminal: Pick<TerminalFeature, 'sandboxState' | 'onDidChangeSandbox'>;
  readonly context: { readonly globalState: KeptValues };
}

const toldKey = 'hermes.approvals.withoutSandbox.told';

/** Tells the user once what Hermes does not see when rules with a star count without a sandbox. */
export function notifyPrefixes({ settings, terminal, context }: PrefixWindow): Disposable {
  // Fires after every change of the settings too.
  return terminal.onDidChangeSandbox(() => {
    const { sandboxState } = terminal;
    const isUsed = settings.current.approvals.matchesPrefixes && sandboxState !== null && sandboxState.kind !== 'works';
    if (!isUsed || context.globalState.get(toldKey) === true) return;
    void context.globalState.update(toldKey, true);
    void vscode.window.showInformationMessage(
      t(
        'Rules that end in “*” now also allow commands that are not sandboxed. Hermes compares only the first words of a command. It doesn’t see what the other words do: flags can start other programs, read hidden files, or connect to other machines.',
      ),
    );
  });
}

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
