import { join, relative } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { CheckThread } from '../core/check/checkWorker';
import type { CheckResult } from '../core/check/findings';
import type { RepairPlan } from '../core/check/repairPlan';
import { findingMeaning, findingPlace, findingTitle, type Finding } from '../../../transcript/rules/finding';
import { sourceTitle } from '../../../transcript/sourceTitles';

export type CheckPlace = CheckThread['place'];

/** Null when the user cancels. */
export async function pickPlace(ownFolder: string, hermesDatabase: string): Promise<CheckPlace | null> {
  const own = { label: t('This Folder'), description: ownFolder };
  const hermes = { label: sourceTitle('hermes'), description: hermesDatabase };
  const file = { label: t('Choose Files…') };
  const chosen = await vscode.window.showQuickPick([own, hermes, file], { title: t('Check Sessions') });
  switch (chosen) {
    case undefined:
      return null;
    case own:
      return { kind: 'own', path: ownFolder };
    case hermes:
      return { kind: 'file', path: hermesDatabase };
    default: {
      const [uri] = (await vscode.window.showOpenDialog({ title: t('Check Sessions'), canSelectMany: false })) ?? [];
      return uri === undefined ? null : placeOf(uri.fsPath, ownFolder);
    }
  }
}

/** The store of this window is repaired, also when the user chose its file. */
function placeOf(path: string, ownFolder: string): CheckPlace {
  return relative(join(ownFolder, 'state.db'), path) === '' ? { kind: 'own', path: ownFolder } : { kind: 'file', path };
}

type FindingChoice =
  { readonly kind: 'canceled' | 'report' | 'repairAll' } | { readonly kind: 'finding'; readonly finding: Finding };

interface ChoiceItem extends vscode.QuickPickItem {
  readonly choice: FindingChoice;
}

/** `isElsewhere`: the store of another folder, which is only read here. */
export async function pickFinding(
  result: CheckResult,
  plans: readonly RepairPlan[],
  isElsewhere: boolean,
): Promise<FindingChoice> {
  const items: ChoiceItem[] = [
    { label: `$(list-flat) ${t('Show Details')}`, choice: { kind: 'report' } },
    ...(plans.length === 0
      ? []
      : [{ label: `$(tools) ${t('Repair All')}`, choice: { kind: 'repairAll' } } satisfies ChoiceItem]),
    ...result.findings.map((finding): ChoiceItem => ({
      label: findingTitle(finding.id),
      description: findingPlace(finding).replace(/\s+/g, ' '),
      detail: findingMeaning(finding.id),
      choice: { kind: 'finding', finding },
    })),
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    title: t('Findings: {count}', { count: result.total }),
    ...(isElsewhere ? { placeHolder: t('To repair these sessions, open their folder in a window') } : {}),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.choice ?? { kind: 'canceled' };
}

type CheckAction = 'show' | 'preview' | 'repair' | 'undo' | 'import';

export async function pickAction(
  finding: Finding,
  of: { readonly plan: RepairPlan | null; readonly isOwn: boolean; readonly canUndo: boolean },
): Promise<CheckAction | null> {
  const actions: readonly (readonly [CheckAction, string, boolean])[] = [
    ['show', t('Show Session'), of.isOwn && finding.sessionId !== null],
    ['preview', t('Preview Repair'), of.plan !== null],
    ['repair', t('Repair'), of.plan !== null],
    ['undo', t('Undo Repair'), of.canUndo],
    ['import', t('Import Repaired Session'), !of.isOwn],
  ];
  const items = actions.filter(([, , isOffered]) => isOffered).map(([action, label]) => ({ label, action }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: findingTitle(finding.id),
    placeHolder: findingPlace(finding).replace(/\s+/g, ' '),
  });
  return chosen?.action ?? null;
}
