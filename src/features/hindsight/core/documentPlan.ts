import type { DocumentCursor, SessionRecord } from './sessionRecord';

export type DocumentStep =
  /** Sends only new turns; the server's current content is known for certain. */
  | {
      readonly kind: 'append';
      readonly documentId: string;
      readonly turns: readonly string[];
      readonly added: readonly string[];
    }
  /** Sends the whole document, which replaces the server's content. */
  | { readonly kind: 'replace'; readonly documentId: string; readonly turns: readonly string[] }
  | { readonly kind: 'delete'; readonly documentId: string };

export interface DocumentAim {
  /** Turns that are part of the session now. */
  readonly active: ReadonlySet<string>;
  /** The document for turns that are in no document yet. */
  readonly openDocument: string;
  readonly appends: boolean;
}

/** Returns the next step towards documents that hold exactly the handed-over turns that are still part of the
 *  session, each in one document. Null when they do. Appending is only correct while the server's content is known
 *  for certain, so every other change replaces the document. */
export function nextStep(record: SessionRecord, aim: DocumentAim): DocumentStep | null {
  for (const document of documentsOf(record, aim)) {
    const step = stepOf(document, wantedIn(document, record, aim), aim.appends);
    if (step !== null) return step;
  }
  return null;
}

/** Returns the newest turn that is in a document. While it is part of the session, all earlier turns are too: hiding
 *  a turn also hides all later ones. */
export function newestKept(record: SessionRecord): string | null {
  const kept = inDocuments(record);
  return record.turns.findLast((uid) => kept.has(uid)) ?? null;
}

export function inDocuments({ documents }: Pick<SessionRecord, 'documents'>): ReadonlySet<string> {
  return new Set(documents.flatMap(({ turns }) => turns));
}

function documentsOf({ documents }: SessionRecord, { openDocument }: DocumentAim): readonly DocumentCursor[] {
  if (documents.some(({ id }) => id === openDocument)) return documents;
  return [...documents, { id: openDocument, turns: [], dirty: false, operation: null }];
}

function wantedIn(
  document: DocumentCursor,
  record: SessionRecord,
  { active, openDocument }: DocumentAim,
): readonly string[] {
  const kept = inDocuments(record);
  const here = new Set(document.turns);
  const belongs = (uid: string): boolean => here.has(uid) || (document.id === openDocument && !kept.has(uid));
  return record.turns.filter((uid) => active.has(uid) && belongs(uid));
}

function stepOf(
  { id, turns, dirty }: DocumentCursor,
  wanted: readonly string[],
  appends: boolean,
): DocumentStep | null {
  const extends_ = turns.every((uid, index) => wanted[index] === uid);
  if (!dirty && extends_ && wanted.length === turns.length) return null;
  if (wanted.length === 0) return { kind: 'delete', documentId: id };
  if (!dirty && extends_ && turns.length > 0 && appends)
    return { kind: 'append', documentId: id, turns: wanted, added: wanted.slice(turns.length) };
  return { kind: 'replace', documentId: id, turns: wanted };
}
