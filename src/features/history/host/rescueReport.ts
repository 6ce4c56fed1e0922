import { t } from '../../../base/translate';
import type { RescuedFile, RescuedSession, RescueRecord } from '../core/rescue/rescueRecord';
import { sourceTitle } from '../../../transcript/sourceTitles';
import { sessionCount, ageLabels, type LabelContext } from '../../../host/library/sessionLabels';

/** Describes what is kept, in one to three sentences. `record`: null when sessions are imported only by command. */
export function rescueStatus(record: RescueRecord | null, context: LabelContext): string {
  if (record === null) return t('Sessions of other agents are imported only when you ask for it.');
  const files = Object.values(record.files);
  const count = (of: readonly RescuedFile[]): number => of.reduce((sum, { sessions }) => sum + sessions.length, 0);
  const gone = count(files.filter(({ isGone }) => isGone));
  return [
    t('Kept up to date in this folder: {sessions} of other agents.', {
      sessions: sessionCount(count(files), context),
    }),
    ...(gone === 0 ? [] : [t('Deleted there and kept here: {sessions}.', { sessions: sessionCount(gone, context) })]),
    ...(record.importedAt === null
      ? []
      : [t('Last import: {time}.', { time: ageLabels(record.importedAt, context.now, context.language) })]),
  ].join(' ');
}

/** The sessions that are kept, as Markdown. */
export function rescueReport(record: RescueRecord, status: string, context: LabelContext): string {
  const files = Object.entries(record.files).filter(([, { sessions }]) => sessions.length > 0);
  const list = (isGone: boolean): readonly string[] =>
    files
      .filter(([, file]) => file.isGone === isGone)
      .flatMap(([path, { sessions }]) => sessions.map((session) => line(session, path, context)));
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines];
  return [
    `# ${t('Rescued Sessions')}`,
    '',
    status,
    ...section(t('Deleted by Their Agents'), list(true)),
    ...section(t('Sessions'), list(false)),
    '',
  ].join('\n');
}

function line({ source, title, id }: RescuedSession, path: string, { t: translate }: LabelContext): string {
  const name = title === null || title === '' ? id || translate('Untitled Session') : title;
  return `- ${name.replace(/\s+/g, ' ').slice(0, 200)} (${sourceTitle(source)}, ${path})`;
}
