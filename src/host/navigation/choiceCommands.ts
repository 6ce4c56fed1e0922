import * as v from 'valibot';
import * as vscode from 'vscode';
import type { CommandTable } from '../common/commands';

/** The part of a manifest that names its commands, in the language of the editor. */
const namedCommands = v.object({
  contributes: v.object({
    commands: v.array(v.object({ command: v.string(), title: v.string(), icon: v.optional(v.unknown()) })),
  }),
});

type CommandItem = vscode.QuickPickItem & { readonly command: string };

interface ChoiceDeps {
  /** This extension’s manifest. */
  readonly manifest: unknown;
  readonly isSynced: () => boolean;
  readonly isImporting: () => boolean;
}

/** Commands of the palette that hold several others as choices, so that the palette stays short. */
export function choiceCommands({ manifest, isSynced, isImporting }: ChoiceDeps): CommandTable {
  const choose = (title: string, names: readonly (string | null)[]) => chooseCommand(manifest, title, names);
  return {
    review: () => choose('review', ['reviewChanges', 'reviewSessionChanges', 'reviewChangesOfTurns', 'undoRevert']),
    export: () => choose('export', ['exportSession', 'exportAllSessions', 'exportOtherSession']),
    import: () =>
      choose('import', [
        isOtherTranscriptActive() ? 'bringOverSession' : null,
        'importSessions',
        'otherFolders',
        'openHistoryFile',
        'restoreFromBackup',
        isImporting() ? 'stopImporting' : 'keepImporting',
        'showRescuedSessions',
      ]),
    checkAndRepair: () => choose('checkAndRepair', ['verifySession', 'checkSessions', 'pullThePlug']),
    storageAndHistory: () =>
      choose('storageAndHistory', [
        'showStorageUse',
        'backUpNow',
        'restoreFromBackup',
        isSynced() ? 'syncStatus' : 'setUpSync',
        'otherFolders',
        'checkSessions',
        'forgetSession',
        'openMemory',
      ]),
  };
}

/** Lets the user choose one of the commands that exist, and runs it. Names and icons are those of the manifest. */
async function chooseCommand(manifest: unknown, title: string, names: readonly (string | null)[]): Promise<void> {
  const contributed = v.parse(namedCommands, manifest).contributes.commands;
  const existing = new Set(await vscode.commands.getCommands(true));
  const items = names.flatMap((name): readonly CommandItem[] => {
    const command = `hermes.${name}`;
    const found = existing.has(command) ? contributed.find((each) => each.command === command) : undefined;
    return found === undefined ? [] : [{ label: found.title, command, ...iconOf(found.icon) }];
  });
  const heading = contributed.find(({ command }) => command === `hermes.${title}`)?.title ?? '';
  const chosen = await vscode.window.showQuickPick(items, { title: heading.replace(/…$/, '') });
  if (chosen !== undefined) await vscode.commands.executeCommand(chosen.command);
}

function iconOf(icon: unknown): Pick<vscode.QuickPickItem, 'iconPath'> {
  const id = typeof icon === 'string' ? /^\$\((.+)\)$/.exec(icon)?.[1] : undefined;
  return id === undefined ? {} : { iconPath: new vscode.ThemeIcon(id) };
}

function isOtherTranscriptActive(): boolean {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputWebview && input.viewType.endsWith('hermes.otherTranscript');
}
