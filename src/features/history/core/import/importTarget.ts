import type { SessionStore } from '../../../../store/session/sessionStore';

/** The store as an import sees it. `SessionStore` fits. */
export type ImportTarget = Pick<
  SessionStore,
  'importStates' | 'beginImport' | 'importWhole' | 'addImported' | 'finishImport' | 'discardImport' | 'extendImport'
>;

export type StoredVersion =
  /** Never imported. */
  | { readonly kind: 'absent' }
  /** Erased here, and no other version of it is stored. */
  | { readonly kind: 'erased' }
  | {
      readonly kind: 'stored';
      readonly version: number;
      readonly mark: StoredMark;
      readonly isChanged: boolean;
    };

type States = Awaited<ReturnType<ImportTarget['importStates']>>;
export type StoredMark = Extract<States[number], { state: 'stored' }>['mark'];

/** Versions that one session can have here. Later changes of its beginning are left where they are. */
export const mostVersions = 64;

/** The newest version of a session in the store. `states`: of all its versions, oldest first. */
export function newestVersion(states: States): StoredVersion {
  const index = states.findLastIndex(({ state }) => state === 'stored');
  const newest = states[index];
  if (newest?.state === 'stored')
    return { kind: 'stored', version: index + 1, mark: newest.mark, isChanged: newest.isChanged };
  return states.some(({ state }) => state === 'erased') ? { kind: 'erased' } : { kind: 'absent' };
}
