import { describe, expect, it } from 'vitest';
import { copyFile } from '../../../src/store/engine/fileSystem';
import { append, chunk, runningTurn, sessionDbWorld, settle, type SessionDbWorld } from '../../support/sessionDbWorld';

const kibibyte = 1024;

/** A session with a running turn, on a disk with this many bytes left. */
async function nearlyFull(room: number): Promise<SessionDbWorld> {
  const world = await sessionDbWorld();
  runningTurn(world.db);
  world.db.checkpoint();
  const { fileBytes, logBytes } = world.database.sizes();
  world.disk.capacity = fileBytes + logBytes + room;
  return world;
}

/** Appends at most so many words, one commit each. Returns how many were acknowledged, and why no more. */
function stream({ db }: SessionDbWorld, most: number): { readonly words: number; readonly failure: unknown } {
  let start = 0;
  for (let seq = 1; seq <= most; seq++) {
    const text = `word${seq} `;
    try {
      append(db, 't1', chunk('a1', seq, start, text));
    } catch (failure) {
      return { words: seq - 1, failure };
    }
    start += text.length;
  }
  return { words: most, failure: null };
}

describe('a store on a disk with little room', () => {
  it('does not fill it with its own log', async () => {
    const world = await nearlyFull(1024 * kibibyte);
    expect(stream(world, 1000)).toEqual({ words: 1000, failure: null });
  });

  it('has no part of a copy that did not fit', async () => {
    const { disk } = await nearlyFull(8 * kibibyte);
    const before = disk.list('/store');
    expect(() => copyFile(disk, '/store/state.db', '/store/state.version-1.db.new', true)).toThrow('ENOSPC');
    expect(disk.list('/store')).toEqual(before);
  });

  it('is full when its rows fill it, keeps what was acknowledged, and continues once there is room', async () => {
    const world = await nearlyFull(128 * kibibyte);
    const { words, failure } = stream(world, 20_000);
    const stored = world.db.getMessage('a1');
    world.disk.capacity += 512 * kibibyte;
    settle(world.db, 't1');
    expect({
      failure,
      few: words < 20_000,
      lastSeq: stored?.role === 'assistant' ? stored.lastSeq : null,
      state: world.db.getTurn('t1')?.state,
      problems: world.db.verifyIntegrity(),
    }).toEqual({
      failure: expect.objectContaining({ causeClass: 'full' }),
      few: true,
      lastSeq: words,
      state: 'settled',
      problems: [],
    });
  });
});
