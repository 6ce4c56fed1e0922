import * as v from 'valibot';
import * as vscode from 'vscode';
import { errorMessage } from '../../base/errorMessage';
import { t, shownList } from '../../base/translate';
import type { ApprovalPolicy } from '../../tools/approval/approvalPolicy';
import { allowRuleProblem } from '../../tools/approval/ruleText';
import type { KeptValues } from '../../tools/programTrust';
import type { DeniesReading } from '../../tools/secretFiles';
import type { CommandTable } from '../common/commands';
import type { SettingsWatcher } from '../settings/settingsWatcher';
import { guardedFolders } from './guardedFolders';
import { settingsPolicy, type SettingsRules } from './settingsPolicy';

const memoryKey = 'hermes.approvals.allow';

/** Rules that the user allowed for this workspace. */
export class WorkspaceRules {
  constructor(private readonly memory: KeptValues) {}

  all(): readonly string[] {
    const stored = v.safeParse(v.array(v.string()), this.memory.get(memoryKey));
    return stored.success ? stored.output.filter((rule) => allowRuleProblem(rule) === null) : [];
  }

  /** Resolves once the rules are saved. */
  async add(rules: readonly string[]): Promise<void> {
    await this.memory.update(memoryKey, [...new Set([...this.all(), ...rules])]);
  }

  async remove(rule: string): Promise<void> {
    await this.memory.update(
      memoryKey,
      this.all().filter((each) => each !== rule),
    );
  }
}

interface ApprovalWindow {
  readonly context: vscode.ExtensionContext;
  readonly settings: SettingsWatcher;
  readonly files: SettingsRules['files'];
  readonly terminal: { isOwnOutput(path: string, conversationId: string): boolean };
}

interface RuleItem extends vscode.QuickPickItem {
  /** Null: the item opens the settings. */
  readonly removed: (() => Promise<void>) | null;
}

/** Decides what the agent may do in this window: the policy, with rules from user settings and from the editor's
 *  workspace storage. */
export class ApprovalRules {
  readonly policy: ApprovalPolicy;
  readonly deniesReading: DeniesReading;
  private readonly workspace: WorkspaceRules;

  constructor(private readonly window: ApprovalWindow) {
    const { context, settings, terminal } = window;
    const workspace = (this.workspace = new WorkspaceRules(context.workspaceState));
    const guarded = guardedFolders(context, context.extensionMode === vscode.ExtensionMode.Production);
    const policy = settingsPolicy(window, {
      workspaceAllow: () => workspace.all(),
      remember: (rules, scope) =>
        scope === 'workspace'
          ? workspace.add(rules)
          : settings.saveAllowRules([...new Set([...settings.current.approvals.allow, ...rules])]),
      isTrusted: () => vscode.workspace.isTrusted,
      isOwnOutput: (path, conversationId) => terminal.isOwnOutput(path, conversationId),
      guarded: () => guarded,
    });
    this.deniesReading = (place) => policy.deniesReading(place);
    this.policy = reportingUnkept(policy, (sentence) => void vscode.window.showWarningMessage(sentence));
  }

  get commands(): CommandTable {
    return { manageApprovals: () => this.manage() };
  }

  /** Runs Manage Approvals…: lists the allow rules; the user removes them one at a time. */
  private async manage(): Promise<void> {
    for (;;) {
      const chosen = await vscode.window.showQuickPick(this.items(), {
        title: t('Manage Approvals'),
        placeHolder: t('Choose a rule to remove it. Edit deny rules in your settings.'),
      });
      if (chosen === undefined) return;
      if (chosen.removed === null)
        return void (await vscode.commands.executeCommand('workbench.action.openSettings', 'hermes.approvals'));
      await chosen.removed();
    }
  }

  private items(): readonly RuleItem[] {
    const { settings } = this.window;
    const inWorkspace = this.workspace.all();
    const everywhere = settings.current.approvals.allow;
    const described = (rule: string, description: string, removed: () => Promise<void>): RuleItem => ({
      label: rule,
      description,
      removed,
    });
    return [
      ...inWorkspace.map((rule) => described(rule, t('allowed in this workspace'), () => this.workspace.remove(rule))),
      ...everywhere.map((rule) =>
        described(rule, t('allowed everywhere'), () =>
          settings.saveAllowRules(everywhere.filter((each) => each !== rule)),
        ),
      ),
      {
        label: t('Open Settings'),
        description: t('{allowed} allowed, {denied} denied', {
          allowed: String(inWorkspace.length + everywhere.length),
          denied: String(settings.current.approvals.deny.length),
        }),
        removed: null,
      },
    ];
  }
}

/** Wraps the policy to notify the user when rules they allowed could not be saved: the call runs, and they are asked
 *  again next time. */
export function reportingUnkept(policy: ApprovalPolicy, tell: (sentence: string) => void): ApprovalPolicy {
  return {
    judge: (call) => policy.judge(call),
    remember: async (decision) => {
      try {
        await policy.remember(decision);
      } catch (error) {
        const rules = decision.kind === 'allow' && decision.scope !== 'once' ? shownList(decision.rules) : '';
        tell(
          t('Allowed this once. The rule couldn’t be saved, so Hermes will ask again: {rules}. {reason}', {
            rules,
            reason: errorMessage(error),
          }),
        );
        throw error;
      }
    },
  };
}
