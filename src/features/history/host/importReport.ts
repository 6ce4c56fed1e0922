import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { ForeignPlace } from '../core/sources/foreign';
import type { ImportResult } from '../core/import/importing';
import { messageCount, type LabelContext } from '../../../host/library/sessionLabels';
import { outcomeLabel, resultSentence } from './importLabels';
import { sourceTitle } from '../../../transcript/sourceTitles';

/** Shows what became of each session, and each record that was left out with its place. */
export async function showImportReport(
  result: ImportResult,
  rescueStatus: string,
  context: LabelContext,
): Promise<void> {
  const document = await vscode.workspace.openTextDocument({
    language: 'markdown',
    content: importReport(result, rescueStatus, context),
  });
  await vscode.window.showTextDocument(document, { preview: true });
}

/** The report as Markdown. `rescueStatus`: sentence about what is imported without being asked for. */
export function importReport(result: ImportResult, rescueStatus: string, context: LabelContext): string {
  const sessions = result.entries.map(({ source, id, title, outcome, messages, reason }) => {
    const facts = [sourceTitle(source), outcomeLabel(outcome, context), messageCount(messages, context)];
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
    resultSentence(result, context),
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

/** On one line, so that a text of another program cannot pose as a part of the report. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 200);
}
