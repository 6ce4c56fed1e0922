import { groupedBy } from '../../../base/groupedBy';
import { join, relative } from 'node:path';
import * as vscode from 'vscode';
import { joinSentences } from '../../../base/messageText';
import { t } from '../../../base/translate';
import type { CheckResult } from '../core/check/findings';
import { repairPlans, type RepairPlan } from '../core/check/repairPlan';
import { type Finding, findingMeaning, findingPlace, findingTitle } from '../../../transcript/rules/finding';
import type { CommandTable } from '../../../host/common/commands';
import { withProgressWhenLong } from '../../../host/notifications/longWork';
import type { RepairedRow } from '../../../store/repairs';
import type { HistoryServices } from './historyServices';
import type { SessionImports } from './importSessions';
import { plain, showDocument } from './reports';
import type { CheckThread } from '../core/check/checkWorker';
import { sourceTitle } from '../../../transcript/sourceTitles';

/** Follows a choice: the place is checked again, the findings are shown again, or the command ends. */
type Next = 'check' | 'findings' | 'end';

/** A repair may uncover what it hid. */
const mostRounds = 3;

/** The command *Check Sessions…*: choose a place, check it, look at the findings, repair and undo. */
export class SessionChecks {
  constructor(
    private readonly services: HistoryServices,
    private readonly imports: Pick<SessionImports, 'run' | 'importOne'>,
  ) {}

  get commands(): CommandTable {
    return { checkSessions: () => this.run() };
  }

  async run(): Promise<void> {
    const { storeFolder, places, ready } = this.services;
    const place = await pickPlace(storeFolder(), join(places().hermes, 'state.db'));
    if (place === null) return;
    if (place.kind === 'own') await ready();
    for (let next: Next = 'check'; next === 'check';) {
      const result = await this.check(place);
      if (result === null) return;
      if (result.total === 0) {
        void vscode.window.showInformationMessage(
          t('No damage was found. Sessions: {sessions}, messages: {messages}.', {
            sessions: result.sessions,
            messages: result.messages,
          }),
        );
        return;
      }
      next = await this.look(result, place);
    }
  }

  /** Null when the user cancels. */
  private async check(place: CheckPlace): Promise<CheckResult | null> {
    const stopped = new Error('canceled');
    try {
      return await withProgressWhenLong(this.services, t('Checking sessions…'), stopped, (signal, onProgress) =>
        this.services.check({ place }, { signal, onProgress }),
      );
    } catch (error) {
      if (error === stopped) return null;
      throw error;
    }
  }

  /** Lets the user act on findings. */
  private async look(result: CheckResult, place: CheckPlace): Promise<Next> {
    const isElsewhere = result.kind === 'own' && place.kind !== 'own';
    const plans = isElsewhere ? [] : repairPlans(result.findings);
    for (;;) {
      const chosen = await pickFinding(result, plans, isElsewhere);
      switch (chosen.kind) {
        case 'canceled':
          return 'end';
        case 'report':
          await showDocument(checkReport(result));
          return 'end';
        case 'repairAll':
          for (const plan of plans) await this.repair(plan);
          return 'check';
        case 'finding': {
          // Nothing else can be done with it here.
          if (isElsewhere) return showDocument(checkReport(result)).then(() => 'end');
          const next = await this.act(result, chosen.finding, plans);
          if (next !== 'findings') return next;
        }
      }
    }
  }

  private async act(result: CheckResult, finding: Finding, plans: readonly RepairPlan[]): Promise<Next> {
    const plan = plans.find(({ findings }) => findings.includes(finding)) ?? null;
    const { sessionId } = finding;
    const isOwn = result.kind === 'own';
    const repairs = isOwn && sessionId !== null ? await this.services.store.repairsOf(sessionId) : [];
    const action = await pickAction(finding, { plan, isOwn, canUndo: repairs.length > 0 });
    switch (action) {
      case null:
        return 'findings';
      case 'show':
        if (sessionId !== null) await this.services.openTranscript(sessionId, finding.row);
        return 'end';
      case 'preview':
        if (plan !== null) await this.preview(plan);
        return 'end';
      case 'repair':
        if (plan !== null) await this.repair(plan);
        return 'check';
      case 'undo':
        if (sessionId !== null && repairs[0] !== undefined) await this.undo(sessionId, repairs[0].repairId);
        return 'check';
      case 'import':
        await (sessionId === null
          ? this.imports.run([result.path])
          : this.importRepaired(result.path, sessionId, finding.title ?? sessionId));
        return 'findings';
      default:
        return action satisfies never;
    }
  }

  private async preview(plan: RepairPlan): Promise<void> {
    await showDocument(previewReport(plan, await this.services.store.previewRepair(this.inputOf(plan))));
    // Nobody waits for the answer.
    this.offerRepair(plan).catch(this.services.failed('checkSessions'));
  }

  private async offerRepair(plan: RepairPlan): Promise<void> {
    const repair = t('Repair');
    const sentence = t('Nothing has been changed yet in {session}.', { session: plan.title ?? plan.sessionId });
    if ((await vscode.window.showInformationMessage(sentence, repair)) === repair) await this.repair(plan);
  }

  private async repair(plan: RepairPlan): Promise<void> {
    const input = this.inputOf(plan);
    const rows = await this.services.store.repairSession(input);
    this.services.refresh();
    // Nobody waits for the answer.
    this.offerUndo(plan, input.repairId, rows.length).catch(this.services.failed('checkSessions'));
  }

  private async offerUndo({ sessionId, title }: RepairPlan, repairId: string, rows: number): Promise<void> {
    const undo = t('Undo Repair');
    const chosen = await vscode.window.showInformationMessage(
      t('Repaired {session}. Changed rows: {count}.', { session: title ?? sessionId, count: rows }),
      undo,
    );
    if (chosen === undo) await this.undo(sessionId, repairId);
  }

  private async undo(sessionId: string, repairId: string): Promise<void> {
    await this.services.store.undoRepair(sessionId, repairId);
    this.services.refresh();
  }

  /** Imports a session of Hermes Agent, then repairs what is still damaged in it here. */
  private async importRepaired(path: string, id: string, session: string): Promise<void> {
    const sessionId = await this.imports.importOne(path, id);
    const place = { kind: 'own', path: this.services.storeFolder() } as const;
    let rows = 0;
    let left = await this.services.check({ place, sessionId }, {});
    for (let round = 0; round < mostRounds && left.total > 0; round++) {
      for (const plan of repairPlans(left.findings))
        rows += (await this.services.store.repairSession(this.inputOf(plan))).length;
      left = await this.services.check({ place, sessionId }, {});
    }
    this.services.refresh();
    const sentence = joinSentences([
      t('Imported {session}.', { session }),
      ...(rows === 0 ? [] : [t('Changed rows: {count}.', { count: rows })]),
      ...(left.total === 0
        ? [t('No damage is left in it.')]
        : [t('Damage that can’t be repaired: {count}.', { count: left.total })]),
    ]);
    const show = t('Show Session');
    // Nobody waits for the answer.
    Promise.resolve(vscode.window.showInformationMessage(sentence, show))
      .then((chosen) => (chosen === show ? this.services.openTranscript(sessionId, null) : undefined))
      .catch(this.services.failed('checkSessions'));
  }

  private inputOf({ sessionId, steps }: RepairPlan) {
    return { repairId: this.services.ids.uid(), sessionId, steps, at: this.services.clock.now() };
  }
}

/** The findings as Markdown, by kind. */
function checkReport(result: CheckResult): string {
  const kinds = [...groupedBy(result.findings, ({ id }) => id)].flatMap(([id, found]) => [
    `## ${findingTitle(id)}: ${found.length}`,
    '',
    findingMeaning(id),
    '',
    ...found.map((finding) => `- ${plain(findingPlace(finding))}`),
    '',
  ]);
  return [`# ${t('Findings: {count}', { count: result.total })}`, '', plain(result.path), '', ...kinds].join('\n');
}

/** Rows before and after a repair as Markdown. */
function previewReport({ sessionId, title, findings }: RepairPlan, rows: readonly RepairedRow[]): string {
  const changes = rows.flatMap(({ table, id, role, before, after }) => [
    `## ${plain(`${role ?? table} ${id}`)}`,
    '',
    '```diff',
    ...(before === null ? [] : lines('- ', before.text)),
    ...(after.isHidden ? [`+ (${t('hidden')})`] : lines('+ ', after.text)),
    '```',
    '',
  ]);
  return [
    `# ${t('Preview Repair')}: ${plain(title ?? sessionId)}`,
    '',
    ...findings.map((finding) => `- ${findingTitle(finding.id)}: ${plain(findingPlace(finding))}`),
    '',
    ...changes,
  ].join('\n');
}

/** Lines with a mark, so that no text of a message can end the block. */
function lines(mark: string, text: string): readonly string[] {
  return text.split('\n').map((line) => mark + line);
}

type CheckPlace = CheckThread['place'];

/** Null when the user cancels. */
async function pickPlace(ownFolder: string, hermesDatabase: string): Promise<CheckPlace | null> {
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
async function pickFinding(
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

async function pickAction(
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
