import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { Preview, PreviewEntry, Scan, ScanGroup } from '../core/import/importing';
import { entryTexts, groupTexts, previewSentence } from './importLabels';

/** Title of the pickers: it names the folder whose history gets the sessions. */
export function pickerTitle(): string {
  return t('Import Sessions into {folder}', { folder: vscode.workspace.name ?? t('this window') });
}

interface GroupItem extends vscode.QuickPickItem {
  readonly group?: ScanGroup;
}

interface EntryItem extends vscode.QuickPickItem {
  readonly entry?: PreviewEntry;
}

/** Result of the first picker. `files`: the user wants to name files instead. */
type GroupChoice = { readonly kind: 'groups'; readonly groups: readonly ScanGroup[] } | { readonly kind: 'files' };

/** Lets the user choose among what lies on this machine. Those of the open folders come first and are chosen. Null when
 *  the user cancels. */
export async function pickGroups(scanning: Promise<Scan>): Promise<GroupChoice | null> {
  const picker = vscode.window.createQuickPick<GroupItem>();
  const chooseFiles: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('folder-opened'),
    tooltip: t('Choose Files…'),
  };
  picker.title = pickerTitle();
  picker.placeholder = t('Looking for sessions of other agents…');
  picker.canSelectMany = true;
  picker.matchOnDescription = picker.matchOnDetail = true;
  picker.busy = true;
  picker.buttons = [chooseFiles];
  const chosen = new Promise<GroupChoice | null>((resolve) => {
    picker.onDidAccept(() => {
      const groups = picker.selectedItems.flatMap(({ group }) => group ?? []);
      if (!picker.canSelectMany) resolve({ kind: 'files' });
      else resolve(groups.length === 0 ? null : { kind: 'groups', groups });
    });
    picker.onDidTriggerButton(() => resolve({ kind: 'files' }));
    picker.onDidHide(() => resolve(null));
  });
  picker.show();
  scanning.then(
    (scan) => {
      const found = groupItems(scan.groups);
      // Without a session to tick, the list is the way to one.
      if (found.length === 0) picker.canSelectMany = false;
      const items =
        found.length > 0
          ? found
          : [{ label: t('Choose Files…'), detail: t('No sessions of other agents were found on this machine.') }];
      picker.items = items;
      picker.selectedItems = items.filter(({ group }) => group !== undefined && isHere(group));
      picker.placeholder = t('Choose what to copy to this folder. The originals stay as they are.');
      picker.busy = false;
    },
    // The caller reports it.
    () => picker.hide(),
  );
  try {
    return await chosen;
  } finally {
    picker.dispose();
  }
}

/** Shows what would be imported, and lets the user leave sessions out. Null when the user cancels. */
export async function pickSessions(preview: Preview, now: number): Promise<readonly PreviewEntry[] | null> {
  const items: EntryItem[] = preview.entries
    .filter(({ state }) => state !== 'here')
    .map((entry) => {
      const { label, description, detail } = entryTexts(entry, now);
      const isComing = entry.state === 'new' || entry.state === 'grown';
      return { label, description, ...(detail === '' ? {} : { detail }), picked: isComing, entry };
    });
  const chosen = await vscode.window.showQuickPick(items, {
    title: pickerTitle(),
    placeHolder: t('Choose sessions to import: {counts}', { counts: previewSentence(preview) }),
    canPickMany: true,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.flatMap(({ entry }) => entry ?? []) ?? null;
}

function groupItems(groups: readonly ScanGroup[]): readonly GroupItem[] {
  const item = (group: ScanGroup): GroupItem => ({ ...groupTexts(group), group });
  const section = (label: string, of: readonly ScanGroup[]): readonly GroupItem[] =>
    of.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...of.map(item)];
  return [
    ...section(
      t('This Folder'),
      groups.filter((group) => isHere(group)),
    ),
    ...section(
      t('Other Folders'),
      groups.filter((group) => !isHere(group)),
    ),
  ];
}

/** True for an open folder of this window. */
function isHere({ folder }: ScanGroup): boolean {
  return (vscode.workspace.workspaceFolders ?? []).some(({ uri }) => uri.fsPath === folder);
}
