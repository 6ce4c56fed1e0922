import { t } from '../../../base/translate';
import type { CheckResult } from '../core/check/findings';
import { grouped, type RepairPlan } from '../core/check/repairPlan';
import { findingMeaning, findingPlace, findingTitle } from '../../../transcript/rules/finding';
import type { RepairedRow } from '../../../store/repairs';

/** The findings as Markdown, by kind. */
export function checkReport(result: CheckResult): string {
  const kinds = [...grouped(result.findings, ({ id }) => id)].flatMap(([id, found]) => [
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
export function previewReport({ sessionId, title, findings }: RepairPlan, rows: readonly RepairedRow[]): string {
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

/** On one line, so that a text of a session cannot pose as a part of the report. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 200);
}
