import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { shownLine } from '../../tools/approval/rulesPolicy';
import type { Consent } from '../approvals/pageConsent';
import type { Slot } from '../common/slot';
import type { ModelSetup } from '../models/modelSetup';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import { WorkspacePaths } from '../../tools/workspacePaths';
import type { CodeActions } from '../webviews/codeHandlers';
import { LinkOpener } from './linkOpener';
import { reloadWindowAction } from '../storage/storageMove';

interface ActionsWindow {
  readonly context: vscode.ExtensionContext;
  readonly channel: vscode.LogOutputChannel;
  readonly code: Slot<CodeActions>;
  readonly files: WorkspaceFiles;
  readonly setup: ModelSetup;
  readonly sessions: { resume(surfaceId: string): Promise<void> };
  readonly transcripts: Slot<{ open(sessionId: string, messageUid: string | null): void }>;
}

/** Actions of notices that run a command. */
const commandOf: ReadonlyMap<string, string> = new Map([
  ['manageTrust', 'workbench.trust.manage'],
  [reloadWindowAction, 'workbench.action.reloadWindow'],
  ['openFolder', 'vscode.openFolder'],
  ...['getStarted', 'chooseAgent', 'runningCommands', 'setUpMemory'].map((name) => [name, `hermes.${name}`] as const),
]);

/** Editor functions for views and commands: open, show, pick, copy. */
export class EditorActions {
  private readonly links: LinkOpener;

  constructor(private readonly window: ActionsWindow) {
    this.links = new LinkOpener(new WorkspacePaths(window.files));
  }

  get code(): Pick<Slot<CodeActions>, 'current'> {
    return this.window.code;
  }

  /** Asks the user in the editor's own dialog; see `PageConsent`. */
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
    this.window.transcripts.current?.open(sessionId, messageUid);
  }

  /** Lets the user choose the session that a surface shows. */
  async pickSession(surfaceId: string): Promise<void> {
    await this.window.sessions.resume(surfaceId);
  }

  async runFeatureCommand(command: string, argument: unknown): Promise<void> {
    await vscode.commands.executeCommand(`hermes.${command}`, argument);
  }

  pickModel(sessionId: string | null): Promise<void> {
    return this.window.setup.select(sessionId);
  }

  /** Runs a setup entry of the empty state. */
  setUp(entryId: string): Promise<void> {
    return this.window.setup.run(entryId);
  }

  /** Resolves to true when the key of the model's provider was replaced. */
  replaceKey(ref: string): Promise<boolean> {
    return this.window.setup.replaceKey(ref);
  }

  async openSettings(query: string): Promise<void> {
    await vscode.commands.executeCommand(
      'workbench.action.openSettings',
      query === '' ? `@ext:${this.window.context.extension.id}` : query,
    );
  }

  showLog(): void {
    this.window.channel.show();
  }

  async copy(text: string): Promise<void> {
    await vscode.env.clipboard.writeText(text);
  }

  openLink(href: string): Promise<void> {
    return this.links.open(href);
  }

  /** Runs an action of a notice that does not belong to the store. */
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
      case 'selectModel':
        return this.pickModel(null);
      case 'setUpModel':
        return this.window.setup.run(null);
      default: {
        const command = commandOf.get(name);
        if (command === undefined) throw new Error(`There is no action "${action}".`);
        await vscode.commands.executeCommand(command);
      }
    }
  }
}
