import { basename } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { ImportResult, Preview, Scan } from '../core/import/importing';
import { isOwnFile } from '../core/import/ownFiles';
import type { ForeignSession, ForeignPlace } from '../core/sources/foreign';
import { exportsAmong } from '../core/sources/hermesExport/exportReading';
import { NodeHistoryFiles } from '../core/sources/reading/nodeHistoryFiles';
import type { CommandTable } from '../../../host/common/commands';
import type { HistoryServices, Importer } from './historyServices';
import { importExportFile } from './importExports';
import type { RescueFeature } from './rescueFeature';
import { resultSentence, outcomeLabel } from './importLabels';
import { plain, showDocument } from './reports';
import { pickGroups, pickSessions } from './importPicks';
import { sessionCount, messageCount } from '../../../host/library/sessionLabels';
import { sourceTitle } from '../../../transcript/sourceTitles';

/** Imports sessions of other agents: find, preview, import, report. */
export class SessionImports {
  constructor(
    private readonly services: HistoryServices,
    private readonly rescue: Pick<RescueFeature, 'isOn' | 'status' | 'keepImporting'>,
  ) {}

  get commands(): CommandTable {
    return { importSessions: (files) => this.run(urisOf(files).map(({ fsPath }) => fsPath)) };
  }

  /** `files`: paths of files and folders that the user named. Empty: what is on this machine. */
  async run(files: readonly string[] = []): Promise<void> {
    await this.services.ready();
    const importer = this.services.openImporter();
    try {
      const others = await this.importExports(importer, files);
      if (others.length > 0 || files.length === 0) await this.runWith(importer, others);
    } finally {
      await importer.close();
    }
  }

  /** Imports one session of a file, also when it was erased here, and returns its id here. Rejects with a sentence when
   *  nothing of it can be imported. */
  async importOne(path: string, id: string): Promise<string> {
    await this.services.ready();
    const importer = this.services.openImporter();
    try {
      const { sessions } = await withProgress(t('Reading sessions…'), () => importer.scan({ chosen: [path] }));
      const wanted = sessions.filter((session) => session.id === id);
      const { entries } = await withProgress(t('Importing sessions…'), () =>
        importer.run(wanted, { includeForgotten: true }),
      );
      const [here] = entries.flatMap(({ sessionId }) => sessionId ?? []);
      const [reason] = entries.flatMap((entry) => entry.reason ?? []);
      if (here === undefined) throw new Error(reason ?? t('Nothing was imported.'));
      this.services.refresh();
      return here;
    } finally {
      await importer.close();
    }
  }

  /** Imports stores and exports of ours among the files, and exports in folders. Returns the other paths. */
  private async importExports(importer: Importer, files: readonly string[]): Promise<readonly string[]> {
    const { exports, others } = await exportsAmong(new NodeHistoryFiles(), files, isOwnFile);
    for (const file of exports) await importExportFile(file, importer, this.services);
    return others;
  }

  private async runWith(importer: Importer, files: readonly string[]): Promise<void> {
    const found = files.length > 0 ? await this.inFiles(importer, files) : await this.onThisMachine(importer);
    if (found === null) return;
    const preview = await withProgress(t('Comparing with the sessions that are here…'), () => importer.preview(found));
    if (isNothingNew(preview)) {
      void vscode.window.showInformationMessage(
        found.length === 0
          ? t('No sessions were found there.')
          : t('Already here: {sessions}. There is nothing to import.', {
              sessions: sessionCount(found.length),
            }),
      );
      return;
    }
    const chosen = await pickSessions(preview, this.services.clock.now());
    if (chosen === null || chosen.length === 0) return;
    await this.import(
      importer,
      chosen.map(({ session }) => session),
    );
  }

  /** Sessions of the groups that the user chooses. Null when the user cancels. */
  private async onThisMachine(importer: Importer): Promise<readonly ForeignSession[] | null> {
    const stopping = new AbortController();
    const scanning = importer.scan(this.services.places(), { signal: stopping.signal });
    // Also awaited below, if the user waits for it.
    scanning.catch(() => undefined);
    try {
      const choice = await pickGroups(scanning);
      if (choice?.kind === 'files') return this.inChosenFiles(importer);
      // The picker closes by itself when the search failed: then the reason is thrown here.
      if (choice === null) return (await settledOrNull(scanning)) && null;
      const { sessions } = await scanning;
      return sessions.filter(({ source, folder }) =>
        choice.groups.some((group) => group.source === source && group.folder === folder),
      );
    } finally {
      stopping.abort();
    }
  }

  private async inChosenFiles(importer: Importer): Promise<readonly ForeignSession[] | null> {
    const files = await vscode.window.showOpenDialog({
      title: t('Import Sessions'),
      openLabel: t('Import'),
      canSelectMany: true,
      canSelectFiles: true,
      canSelectFolders: true,
      filters: { [t('Sessions')]: ['json', 'jsonl', 'db', 'zst'], [t('All Files')]: ['*'] },
    });
    if (files === undefined) return null;
    const others = await this.importExports(
      importer,
      files.map(({ fsPath }) => fsPath),
    );
    return others.length === 0 ? null : this.inFiles(importer, others);
  }

  private async inFiles(importer: Importer, files: readonly string[]): Promise<readonly ForeignSession[] | null> {
    const { sessions, problems, skipped } = await withProgress(t('Reading sessions…'), () =>
      importer.scan({ chosen: files }),
    );
    if (sessions.length > 0) return sessions;
    if (problems[0] !== undefined) throw new Error(problems[0].reason);
    if (skipped[0] === undefined) return [];
    const { place, reason } = skipped[0];
    void vscode.window.showWarningMessage(
      t('Nothing can be imported from {file}. {reason}', { file: basename(place.path), reason }),
    );
    return null;
  }

  private async import(importer: Importer, sessions: readonly ForeignSession[]): Promise<void> {
    const result = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: t('Importing sessions…'), cancellable: true },
      (progress, canceled) => {
        const stopping = new AbortController();
        canceled.onCancellationRequested(() => stopping.abort());
        let last: string | null = null;
        const run = importer.run(sessions, {
          signal: stopping.signal,
          includeForgotten: true,
          onProgress: ({ sessionsDone, sessionsTotal, messages, lastSessionId }) => {
            progress.report({
              message: t('{done} of {total} sessions, {messages} messages', {
                done: sessionsDone,
                total: sessionsTotal,
                messages,
              }),
            });
            if (lastSessionId !== last) this.services.refresh();
            last = lastSessionId;
          },
        });
        return this.services.during(run);
      },
    );
    this.services.refresh();
    // Nobody waits for the answer to the report.
    this.report(result).catch(this.services.failed('importSessions'));
  }

  private async report(result: ImportResult): Promise<void> {
    const newest = result.entries.find(({ outcome }) => outcome === 'imported')?.sessionId ?? null;
    const { rescue } = this;
    const [open, details, keep] = [t('Open Newest'), t('Show Details'), t('Keep Importing')];
    const show = result.counts.failed > 0 ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
    const choices = [...(newest === null ? [] : [open]), details, ...(rescue.isOn ? [] : [keep])];
    const chosen = await show(resultSentence(result), ...choices);
    if (chosen === details) await showDocument(importReport(result, await rescue.status()));
    if (chosen === keep) await rescue.keepImporting();
    if (chosen === open && newest !== null) await this.services.openInChat(newest);
  }
}

function isNothingNew({ counts }: Preview): boolean {
  return counts.new + counts.grown + counts.forgotten === 0;
}

/** Files that a drop or a menu passes. */
function urisOf(files: unknown): readonly vscode.Uri[] {
  const listed = Array.isArray(files) ? files : [files];
  return listed.filter((file): file is vscode.Uri => file instanceof vscode.Uri);
}

async function settledOrNull(scanning: Promise<Scan>): Promise<Scan | null> {
  return Promise.race([scanning, Promise.resolve(null)]);
}

function withProgress<T>(title: string, work: () => Promise<T>): Promise<T> {
  return Promise.resolve(vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, work));
}

/** Says as Markdown what became of each session, and which records were left out, with their places. `rescueStatus`:
 *  sentence about what is imported without being asked for. */
export function importReport(result: ImportResult, rescueStatus: string): string {
  const sessions = result.entries.map(({ source, id, title, outcome, messages, reason }) => {
    const facts = [sourceTitle(source), outcomeLabel(outcome), messageCount(messages)];
    return `- ${plain(title ?? id)} (${facts.join(', ')})${reason === null ? '' : `: ${plain(reason)}`}`;
  });
  const leftOut = result.leftOut.map(
    ({ source, sessionId, place, reason, count }) =>
      `- ${count > 1 ? `${count} × ` : ''}${placeText(place)}: ${plain(reason)} (${sourceTitle(source)} ${sessionId})`,
  );
  const more = result.leftOutTotal - result.leftOut.reduce((sum, { count }) => sum + count, 0);
  return [
    `# ${t('Imported Sessions')}`,
    '',
    resultSentence(result),
    '',
    t('Records read: {read}. Imported: {imported}. Left out: {skipped}.', {
      read: result.records.in,
      imported: result.records.imported,
      skipped: result.records.skipped,
    }),
    '',
    rescueStatus,
    '',
    `## ${t('Sessions')}`,
    '',
    ...sessions,
    ...(leftOut.length === 0 ? [] : ['', `## ${t('Left Out')}`, '', ...leftOut]),
    ...(more > 0 ? ['', t('More records left out: {count}.', { count: more })] : []),
    '',
  ].join('\n');
}

/** `path:line`, which VS Code makes a link of, or the number of a row or element. */
function placeText({ path, unit, number }: ForeignPlace): string {
  switch (unit) {
    case 'file':
      return path;
    case 'line':
      return `${path}:${number}`;
    case 'row':
      return t('{path}, row {number}', { path, number: String(number) });
    case 'element':
      return t('{path}, element {number}', { path, number: String(number) });
    default:
      return unit satisfies never;
  }
}
