import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { DiskPlaces } from '../../tools/approval/pathPlaces';
import type { ApprovalPolicy } from '../../tools/approval/approvalPolicy';
import { RulesPolicy } from '../../tools/approval/rulesPolicy';
import type { DeniesReading } from '../../tools/secretFiles';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import type { CommandTable } from '../commands';
import type { SettingsWatcher } from '../settings/settingsWatcher';
import { tellingUnkept } from './unkeptRules';
import { type RuleMemory, WorkspaceRules } from './workspaceRules';

export interface ApprovalRulesNeeds {
  readonly settings: Pick<SettingsWatcher, 'current' | 'saveAllowRules'>;
  readonly memory: RuleMemory;
  readonly files: Pick<WorkspaceFiles, 'roots'>;
  readonly isOwnOutput: (path: string, conversationId: string) => boolean;
  /** See `guardedFolders`. */
  readonly guarded: readonly string[];
}

interface RuleItem extends vscode.QuickPickItem {
  /** Null: leads to the settings. */
  readonly removed: (() => Promise<void>) | null;
}

/** What the agent may do in this window: the policy, with rules from user settings and from the editor's memory of the workspace. */
export class ApprovalRules {
  readonly policy: ApprovalPolicy;
  readonly deniesReading: DeniesReading;
  private readonly workspace: WorkspaceRules;

  constructor(private readonly needs: ApprovalRulesNeeds) {
    const { settings, files, isOwnOutput } = needs;
    const workspace = (this.workspace = new WorkspaceRules(needs.memory));
    const policy = new RulesPolicy({
      allow: () => settings.current.approvals.allow,
      workspaceAllow: () => workspace.all(),
      deny: () => settings.current.approvals.deny,
      remember: (rules, scope) =>
        scope === 'workspace'
          ? workspace.add(rules)
          : settings.saveAllowRules([...new Set([...settings.current.approvals.allow, ...rules])]),
      isTrusted: () => vscode.workspace.isTrusted,
      caseSensitive: process.platform !== 'win32' && process.platform !== 'darwin',
      places: new DiskPlaces(() => files.roots(), homedir()),
      isOwnOutput,
      guarded: () => needs.guarded,
    });
    this.deniesReading = (place) => policy.deniesReading(place);
    this.policy = tellingUnkept(
      policy,
      (message, args) => vscode.l10n.t(message, args),
      (sentence) => void vscode.window.showWarningMessage(sentence),
    );
  }

  get commands(): CommandTable {
    return { manageApprovals: () => this.manage() };
  }

  /** Manage Approvals…: what is allowed without asking, one rule after the other can be taken back. */
  private async manage(): Promise<void> {
    for (;;) {
      const chosen = await vscode.window.showQuickPick(this.items(), {
        title: vscode.l10n.t('Manage Approvals'),
        placeHolder: vscode.l10n.t('Choose a rule to remove it. Edit deny rules in your settings.'),
      });
      if (chosen === undefined) return;
      if (chosen.removed === null)
        return void (await vscode.commands.executeCommand('workbench.action.openSettings', 'hermes.approvals'));
      await chosen.removed();
    }
  }

  private items(): readonly RuleItem[] {
    const { settings } = this.needs;
    const inWorkspace = this.workspace.all();
    const everywhere = settings.current.approvals.allow;
    const described = (rule: string, description: string, removed: () => Promise<void>): RuleItem => ({
      label: rule,
      description,
      removed,
    });
    return [
      ...inWorkspace.map((rule) =>
        described(rule, vscode.l10n.t('allowed in this workspace'), () => this.workspace.remove(rule)),
      ),
      ...everywhere.map((rule) =>
        described(rule, vscode.l10n.t('allowed everywhere'), () =>
          settings.saveAllowRules(everywhere.filter((each) => each !== rule)),
        ),
      ),
      {
        label: vscode.l10n.t('Open Settings'),
        description: vscode.l10n.t('{allowed} allowed, {denied} denied', {
          allowed: String(inWorkspace.length + everywhere.length),
          denied: String(settings.current.approvals.deny.length),
        }),
        removed: null,
      },
    ];
  }
}
