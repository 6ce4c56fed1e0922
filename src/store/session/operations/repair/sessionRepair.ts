import { parsedAs } from '../../../../transcript/json';
import * as v from 'valibot';
import { t } from '../../../../base/translate';
import type { RepairStep } from '../../../../transcript/rules/rule';
import type { RepairedRow, RepairSession, StoredRepair } from '../../../repairs';
import { readText } from '../../tables/columns';
import { refused } from '../../tables/refusal';
import { ChangeRecord } from './changeRecord';
import { fingerprint, imageOf, restoreImage, rowImage } from './rowImages';
import { RowSteps } from './rowSteps';
import { SessionSteps } from './sessionSteps';
import { StorePart } from '../../tables/storePart';
import type { StoreOperations } from '../storeOperations';

const tables = ['messages', 'sessions', 'turns', 'approvals', 'queue', 'file_changes'] as const;
const storedRepair = v.object({
  at: v.number(),
  rows: v.array(v.object({ table: v.picklist(tables), id: v.string(), before: rowImage, after: v.string() })),
  recounts: v.array(v.object({ sessionId: v.string(), messages: v.number(), calls: v.number() })),
  madeSessions: v.array(v.string()),
  lastRevision: v.number(),
});
type StoredRecord = v.InferOutput<typeof storedRepair>;

/** The key ends in the session's id, so it is deleted with the session. */
const keyOf = (sessionId: string, repairId: string): string => `repair.${repairId}/${sessionId}`;

/** Thrown to take a preview back. */
class Previewed extends Error {
  constructor(readonly rows: readonly RepairedRow[]) {
    super('preview');
  }
}

/** Repairs with a record of the changed rows, from which a repair is undone. */
export class SessionRepair extends StorePart<StoreOperations> {
  private readonly rowSteps = new RowSteps(this.store);
  private readonly sessionSteps = new SessionSteps(this.store);

  /** `write`: runs one transaction, which is rolled back when the work throws. */
  preview(input: RepairSession, write: (work: () => never) => never): readonly RepairedRow[] {
    try {
      return write(() => {
        throw new Previewed(this.run(input).rows());
      });
    } catch (error) {
      if (error instanceof Previewed) return error.rows;
      throw error;
    }
  }

  /** Runs inside its caller's transaction. */
  apply(input: RepairSession): readonly RepairedRow[] {
    if (this.find(input.sessionId, input.repairId) !== null) return [];
    const record = this.run(input);
    const stored: StoredRecord = {
      at: input.at,
      rows: record.changed().map((row) => ({ ...row })),
      recounts: [...record.recounts],
      madeSessions: [...record.madeSessions],
      lastRevision: record.lastRevision,
    };
    this.store.meta.set(keyOf(input.sessionId, input.repairId), JSON.stringify(stored));
    return record.rows();
  }

  /** Runs inside its caller's transaction. */
  undo(sessionId: string, repairId: string): void {
    const record = this.find(sessionId, repairId);
    if (record === null)
      throw refused(t('This repair is no longer known. Nothing was changed.'), `no repair ${repairId} of ${sessionId}`);
    for (const { table, id, after } of record.rows) {
      if (fingerprint(table, imageOf(this.database, table, id)) !== after)
        throw refused(
          t('This session changed after the repair, so the repair can’t be undone. Nothing was changed.'),
          `${table} ${id} changed after repair ${repairId}`,
        );
    }
    for (const { table, id, before } of record.rows) {
      if (before.row === null) this.database.run('DELETE FROM messages WHERE uid = ?', [id]);
      else restoreImage(this.database, table, id, before);
      if (table === 'messages')
        this.database.run('DELETE FROM message_revisions WHERE message_uid = ? AND id > ?', [id, record.lastRevision]);
    }
    for (const recount of record.recounts)
      this.database.run(
        'UPDATE sessions SET message_count = message_count - ?, tool_call_count = tool_call_count - ? WHERE id = ?',
        [recount.messages, recount.calls, recount.sessionId],
      );
    // Deleting it would delete its rows, which were stored before.
    for (const id of record.madeSessions)
      this.database.run('UPDATE sessions SET trashed_at = ? WHERE id = ?', [record.at, id]);
    this.store.meta.delete(keyOf(sessionId, repairId));
  }

  of(sessionId: string): readonly StoredRepair[] {
    return this.database
      .all("SELECT key, value FROM state_meta WHERE key GLOB 'repair.*' AND substr(key, -length(?1) - 1) = '/' || ?1", [
        sessionId,
      ])
      .flatMap((row) => {
        const key = readText(row, 'key', '');
        const repairId = key.slice('repair.'.length, -sessionId.length - 1);
        const record = this.find(sessionId, repairId);
        return record === null ? [] : [{ repairId, at: record.at, rows: record.rows.length }];
      })
      .sort((one, other) => other.at - one.at);
  }

  /** Runs inside its caller's transaction. The changes cannot be undone. */
  run({ steps, at }: Pick<RepairSession, 'steps' | 'at'>): ChangeRecord {
    const record = new ChangeRecord(this.database);
    for (const step of steps) this.step(step, at, record);
    return record;
  }

  private step(step: RepairStep, at: number, record: ChangeRecord): void {
    switch (step.kind) {
      case 'fold':
        return this.rowSteps.fold(step.uid, record);
      case 'reread':
        return this.rowSteps.reread(step.uid, record);
      case 'show':
        return this.rowSteps.show(step.uid, record);
      case 'unlink':
        return this.rowSteps.unlink(step.uid, record);
      case 'hide':
        return this.rowSteps.hide(step.uid, step.absorbedInto, record);
      case 'arguments':
        return this.rowSteps.setArguments(step.uid, step.callId, step.arguments, record);
      case 'renameCall':
        return this.rowSteps.renameCall(step.uid, step.callId, step.to, record);
      case 'closeTurn':
        return this.sessionSteps.closeTurn(step.turnUid, at, record);
      case 'settleTurn':
        return this.sessionSteps.settleTurn(step.turnUid, at, record);
      case 'moveTurn':
        return this.sessionSteps.moveTurn(step.turnUid, record);
      case 'sequence':
        return this.sessionSteps.sequence(step.sessionId, at, record);
      case 'recount':
        return this.sessionSteps.recount(step.sessionId, record);
      case 'detach':
        return this.sessionSteps.detach(step.sessionId, record);
      case 'reopen':
        return this.sessionSteps.reopen(step.sessionId, record);
      case 'restoreSession':
        return this.sessionSteps.restoreSession(step.sessionId, at, record);
      case 'expireApproval':
        return this.sessionSteps.expireApproval(step.approvalId, record);
      case 'rebuildIndex':
        return this.sessionSteps.rebuildIndex();
      default:
        return step satisfies never;
    }
  }

  private find(sessionId: string, repairId: string): StoredRecord | null {
    return parsedAs(storedRepair, this.store.meta.get(keyOf(sessionId, repairId)));
  }
}
