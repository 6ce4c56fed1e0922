import * as vscode from 'vscode';
import { t } from '../../base/translate';
import type { ModelList, ModelRow } from '../../protocol/chatProtocol';
import { describeError } from '../common/describeError';
import { modelDetail } from './modelService';

interface ModelItem extends vscode.QuickPickItem {
  readonly ref: string | null;
  readonly go?: () => void;
}

interface ModelPickerOptions {
  readonly title: string;
  readonly current: string | null;
  readonly list: (refresh: boolean) => Promise<ModelList>;
  /** Filters the rows. Default: all. */
  readonly accepts?: (row: ModelRow) => boolean;
  /** Text shown when no row is left. */
  readonly empty: string;
  /** Last row, which opens something else instead of choosing a model. */
  readonly elsewhere?: { readonly label: string; readonly go: () => void };
}

const refreshButton = (): vscode.QuickInputButton => ({
  iconPath: new vscode.ThemeIcon('refresh'),
  tooltip: t('Try Again'),
});

/** Lets the user choose a model. Each row shows where prompts would go, the price and warnings; failed sources show
 *  their reason. Resolves with the model's reference, or null when the user cancels. */
export function pickModel(options: ModelPickerOptions): Promise<string | null> {
  const picker = vscode.window.createQuickPick<ModelItem>();
  picker.title = options.title;
  picker.placeholder = t('Search models by name or host');
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  picker.buttons = [refreshButton()];
  let live = true;

  const list = async (refresh: boolean): Promise<void> => {
    picker.busy = true;
    const items = await options.list(refresh).then(
      (choices) => pickerItems(choices, options),
      (error: unknown) => [noteItem(describeError(error).sentence)],
    );
    if (!live) return;
    picker.busy = false;
    picker.items = items;
    const current = items.find((item) => item.ref !== null && item.ref === options.current);
    if (current !== undefined) picker.activeItems = [current];
  };

  return new Promise((resolve) => {
    picker.onDidTriggerButton(() => void list(true));
    picker.onDidAccept(() => {
      const chosen = picker.selectedItems[0];
      if (chosen === undefined || (chosen.ref === null && chosen.go === undefined)) return;
      resolve(chosen.ref);
      picker.hide();
      chosen.go?.();
    });
    picker.onDidHide(() => {
      live = false;
      resolve(null);
      picker.dispose();
    });
    picker.show();
    void list(false);
  });
}

function pickerItems(choices: ModelList, options: ModelPickerOptions): ModelItem[] {
  const rows = choices.models.filter(options.accepts ?? (() => true));
  const providers = [...new Set(rows.map((row) => row.provider))];
  const grouped = providers.flatMap((provider) => [
    separator(provider),
    ...rows.filter((row) => row.provider === provider).map((row) => modelItem(row, options.current)),
  ]);
  const problems = choices.problems.map(({ provider, sentence }) => ({
    ...noteItem(sentence),
    description: provider,
    iconPath: new vscode.ThemeIcon('warning'),
  }));
  const nothing = rows.length === 0 && problems.length === 0 ? [noteItem(options.empty)] : [];
  const elsewhere =
    options.elsewhere === undefined
      ? []
      : [separator(''), { label: options.elsewhere.label, alwaysShow: true, ref: null, go: options.elsewhere.go }];
  return [
    ...grouped,
    ...(problems.length === 0 ? [] : [separator(t('Couldn’t list models'))]),
    ...problems,
    ...nothing,
    ...elsewhere,
  ];
}

function modelItem(row: ModelRow, current: string | null): ModelItem {
  const detail = modelDetail(row, vscode.env.language);
  return {
    label: row.label,
    description:
      row.ref === current ? t('{destination} · selected', { destination: row.destination }) : row.destination,
    ...(detail === '' ? {} : { detail }),
    ...(row.warnings.length > 0 ? { iconPath: new vscode.ThemeIcon('warning') } : {}),
    ref: row.ref,
  };
}

function separator(label: string): ModelItem {
  return { label, kind: vscode.QuickPickItemKind.Separator, ref: null };
}

function noteItem(sentence: string): ModelItem {
  return { label: sentence, alwaysShow: true, ref: null };
}
