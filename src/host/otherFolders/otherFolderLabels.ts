import type { OtherStore } from '../../store/library/otherStore';
import { ageLabels } from '../sessions/ageLabels';
import type { LabelContext } from '../sessions/sessionLabels';
import type { OtherFolder } from './otherFolders';

/** Name of a folder, or a description if the name is not known. */
export function folderName({ label }: Pick<OtherStore, 'label'>, { t }: Pick<LabelContext, 't'>): string {
  if (label === null) return t('Unknown folder');
  if (label.kind === 'window') return t('A window without a folder');
  return label.name === '' ? (label.path ?? t('Unknown folder')) : label.name;
}

/** Full path of a folder if known, otherwise its name. */
export function folderPath(store: Pick<OtherStore, 'label'>, context: Pick<LabelContext, 't'>): string {
  return store.label?.path ?? folderName(store, context);
}

export function countText(sessions: number, { t }: Pick<LabelContext, 't'>): string {
  return sessions === 1 ? t('1 session') : t('{count} sessions', { count: String(sessions) });
}

/** Text after the name of a folder. */
export function folderFacts(store: OtherFolder, context: LabelContext): string {
  const { t, now, language } = context;
  const facts = [
    store.problem === null ? countText(store.sessions, context) : t('couldn’t be read'),
    ageLabels(store.lastActiveAt, now, language),
    ...(store.inUse ? [t('open in another window')] : []),
    ...((store.broughtAt ?? 0) >= store.lastActiveAt ? [t('copied')] : []),
  ];
  return facts.join(' · ');
}
