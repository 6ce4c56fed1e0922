import { describe, expect, it } from 'vitest';
import type { SimulatedDisk } from '../../support/simulatedDisk';
import { openSessionStore, type OpenedStore } from '../../../src/store/worker/openedStore';
import { append, chunk, runningTurn, sessionDbWorld } from '../../support/sessionDbWorld';
import { testSqlite } from '../../support/sqlite';
import { testTime } from '../../support/testStore';

async function opened(disk: SimulatedDisk): Promise<OpenedStore> {
  return openSessionStore(
    { sqlite: await testSqlite(), fileSystem: disk, now: () => testTime },
    { folder: '/store', fence: disk.stat('/store/state.db.lock')?.identity ?? null, salvage: false, siblings: [] },
  );
}

describe('a store that is opened on a disk without a free byte', () => {
  it('shows what a crash left, settles nothing, and gives the reason', async () => {
    const { db, database, disk } = await sessionDbWorld();
    runningTurn(db);
    append(db, 't1', chunk('a1', 1, 0, 'shown before the crash'));
    database.abandon();
    disk.put('/store/state.db.lock', new Uint8Array([1]));
    disk.capacity = 0;
    const { operations, report, close } = await opened(disk);
    const texts = operations
      .readTranscript({ sessionId: 's1', limit: 10 })
      .messages.map((message) => message.parts.map((part) => ('text' in part ? part.text : '')).join());
    expect({
      texts,
      turn: operations.getTurn('t1')?.state,
      cause: report.readOnly?.causeClass,
      message: report.readOnly?.message.slice(0, 53),
    }).toEqual({
      texts: ['What is here?', 'shown before the crash'],
      turn: 'running',
      cause: 'full',
      message: 'The disk is full, so nothing can be saved now. Everyt',
    });
    close();
    disk.capacity = Number.POSITIVE_INFINITY;
    const again = await opened(disk);
    expect({ readOnly: again.report.readOnly, recovered: again.report.recoveredTurns.length }).toEqual({
      readOnly: null,
      recovered: 1,
    });
    again.close();
  });
});
