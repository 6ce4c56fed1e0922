import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { shownLine } from '../../tools/approval/rulesPolicy';
import type { Consent } from '../approvals/pageConsent';
import type { ChatEditor } from '../chat/chatHandlers';
import type { CodeActions } from '../webviews/codeHandlers';
import type { LinkOpener } from './linkOpener';
import { reloadWindowAction } from '../storage/storageMove';

interface EditorActionDeps {
  readonly links: LinkOpener;
  readonly code: CodeActions;
  readonly channel: vscode.LogOutputChannel;
  readonly extensionId: string;
  readonly pickModel: (sessionId: string | null) => Promise<void>;
  readonly setUpModel: (entryId: string | null) => Promise<void>;
  readonly replaceKey: (ref: string) => Promise<boolean>;
}

/** Functions of parts that are built from the views. */
interface LaterActions {
  /** Lets the user choose the session that a surface shows. */
  readonly pickSession: (surfaceId: string) => Promise<void>;
  readonly openTranscript: (sessionId: string, messageUid: string | null) => void;
}

/** Editor functions for views and commands: open, show, pick, copy. */
export class EditorActions implements ChatEditor {
  private later: LaterActions | null = null;

  constructor(private readonly deps: EditorActionDeps) {}

  /** Called once when the parts that are built from the views exist. */
  connect(later: LaterActions): void {
    this.later = later;
  }

  get code(): CodeActions {
    return this.deps.code;
  }

  async confirm(asked: Consent): Promise<boolean> {
    const ask = async (question: string, detail: string, button: string): Promise<boolean> =>
      (await vscode.window.showWarningMessage(question, { modal: true, detail }, button)) === button;
    switch (asked.kind) {
      case 'rules': {
        const where = { session: t('in this session'), workspace: t('in this workspace'), user: t('in all folders') }[
          asked.scope
        ];
        return ask(
          t('Allow rules that Hermes didn’t suggest?'),
          t('Always allow {where}, without asking:\n{rules}', {
            where,
            rules: asked.rules.map(shownLine).join('\n'),
          }),
          t('Allow'),
        );
      }
      case 'waiting':
        return ask(
          t('Allow this call?'),
          t('It was waiting in a session that was just opened.\n{subject}', { subject: asked.subject }),
          t('Allow'),
        );
      case 'auto':
        return ask(
          t('Turn on Edit Automatically?'),
          t(
            'Hermes edits files in the open folders, and runs commands in the sandbox, without asking. You can review and revert the changes.',
          ),
          t('Turn On'),
        );
    }
  }

  async openTranscript(sessionId: string, messageUid: string | null): Promise<void> {
    this.later?.openTranscript(sessionId, messageUid);
  }

  async pickSession(surfaceId: string): Promise<void> {
    await this.later?.pickSession(surfaceId);
  }

  async searchSessions(text: string): Promise<void> {
    await vscode.commands.executeCommand('hermes.searchSessions', text);
  }

  async exportSession(sessionId: string): Promise<void> {
    await vscode.commands.executeCommand('hermes.exportSession', { sessionId });
  }

  async openMemory(): Promise<void> {
    await vscode.commands.executeCommand('hermes.openMemory');
  }

  pickModel(sessionId: string | null): Promise<void> {
    return this.deps.pickModel(sessionId);
  }

  setUp(entryId: string): Promise<void> {
    return this.deps.setUpModel(entryId);
  }

  replaceKey(ref: string): Promise<boolean> {
    return this.deps.replaceKey(ref);
  }

  async openSettings(query: string): Promise<void> {
    await vscode.commands.executeCommand(
      'workbench.action.openSettings',
      query === '' ? `@ext:${this.deps.extensionId}` : query,
    );
  }

  showLog(): void {
    this.deps.channel.show();
  }

  async copy(text: string): Promise<void> {
    await vscode.env.clipboard.writeText(text);
  }

  openLink(href: string): Promise<void> {
    return this.deps.links.open(href);
  }

  async runAction(action: string): Promise<void> {
    const [name = '', argument = ''] = action.split(/:(.*)/s);
    switch (name) {
      case 'showLog':
        return this.showLog();
      case 'openSettings':
        return this.openSettings(argument);
      case 'openUserSettings':
        return void (await vscode.commands.executeCommand('workbench.action.openSettingsJson', {
          revealSetting: { key: argument },
        }));
      case 'manageTrust':
        return void (await vscode.commands.executeCommand('workbench.trust.manage'));
      case reloadWindowAction:
        return void (await vscode.commands.executeCommand('workbench.action.reloadWindow'));
      case 'openFolder':
        return void (await vscode.commands.executeCommand('vscode.openFolder'));
      case 'selectModel':
        return this.pickModel(null);
      case 'setUpModel':
        return this.deps.setUpModel(null);
      case 'getStarted':
        return void (await vscode.commands.executeCommand('hermes.getStarted'));
      case 'chooseAgent':
        return void (await vscode.commands.executeCommand('hermes.chooseAgent'));
      case 'runningCommands':
        return void (await vscode.commands.executeCommand('hermes.runningCommands'));
      case 'setUpMemory':
        return void (await vscode.commands.executeCommand('hermes.setUpMemory'));
      default:
        throw new Error(`There is no action "${action}".`);
    }
  }
}
