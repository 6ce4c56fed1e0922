import { beforeEach, describe, expect, it } from 'vitest';
import { rowsOf } from '../../../src/store/session/import/storeImport';
import { type DraftPart, promptParts, type SentPart } from '../../../src/transcript/draftPart';
import {
  answer,
  call,
  complete,
  lines,
  openTurn,
  prompt,
  result,
  runningTurn,
  sessionDbWorld,
  settle,
  type SessionDbWorld,
} from '../../support/sessionDbWorld';

let world: SessionDbWorld;
beforeEach(async () => {
  world = await sessionDbWorld();
});

const file: SentPart = {
  kind: 'attachment',
  label: 'src/a.ts',
  source: 'file:src/a.ts',
  text: 'export const quokka = 1;',
};
const picture: SentPart = { kind: 'image', mediaType: 'image/png', dataBase64: 'iVBORw0KGgo=', name: 'shot.png' };
const mention: DraftPart = { kind: 'mention', source: 'problems', label: 'problems' };
const enqueue = (uid: string, text: string, parts?: readonly SentPart[]) =>
  world.db.enqueue({ uid, sessionId: 's1', text, createdAt: 5, ...(parts === undefined ? {} : { parts }) });

describe('a queued prompt', () => {
  it('keeps its parts when its words are edited and across a power cut; with parts it needs no words', async () => {
    runningTurn(world.db);
    enqueue('q1', 'look', [file, picture]);
    enqueue('q2', '', [file]);
    world.db.editQueued('q1', 'look here');
    world.db.editQueued('q1', '');
    const again = await world.reopened();
    expect(again.db.queue('s1')).toEqual([
      { uid: 'q1', sessionId: 's1', text: '', createdAt: 5, parts: [file, picture] },
      { uid: 'q2', sessionId: 's1', text: '', createdAt: 5, parts: [file] },
    ]);
  });

  it('that is delivered to a running turn brings its parts into the row', () => {
    runningTurn(world.db);
    world.db.putMessages([answer('m1', [call('c1')], 't1'), result('r1', 'c1', 'content', 't1')]);
    enqueue('q1', 'look', [file]);
    enqueue('q2', '', [picture]);
    const rows = ['q1', 'q2'].map(
      (queuedUid) => world.db.steerTurn({ turnUid: 't1', sessionId: 's1', queuedUid, createdAt: 9 })?.parts,
    );
    expect({ rows, last: lines(world.db).slice(-2) }).toEqual({
      rows: [[{ kind: 'text', text: 'look' }, file], [picture]],
      last: ['user: look [src/a.ts]', 'user: image:image/png'],
    });
  });
});

describe('a draft', () => {
  it('keeps its parts while only its words are saved, loses them on request, and is gone once both are empty', async () => {
    world.db.setDraft('s1', 'half', [mention, file, picture]);
    world.db.setDraft('s1', 'half a');
    const kept = [world.db.draft('s1'), world.db.draftParts('s1')];
    world.db.setDraft('s1', '');
    const withoutWords = [world.db.draft('s1'), (await world.reopened()).db.draftParts('s1')];
    expect({ kept, withoutWords }).toEqual({
      kept: ['half a', [mention, file, picture]],
      withoutWords: ['', [mention, file, picture]],
    });
  });
});

describe('a prompt with parts', () => {
  const asked = (): void => {
    world.db.createSession({ id: 's1', startedAt: 1 });
    openTurn(world.db, { turnUid: 't0', text: 'before' });
    settle(world.db, 't0', complete, [answer('a0', 'yes', 't0')]);
    world.db.openTurn({
      turnUid: 't1',
      sessionId: 's1',
      userMessage: { ...prompt('u1', '', 't1'), parts: promptParts('', [file, picture]) },
      model: 'Local/test',
      startedAt: 2,
    });
    settle(world.db, 't1', complete, [answer('a1', 'A constant.', 't1')]);
  };

  it('returns them on a branch and again when the request is repeated; a copied prompt holds them', () => {
    asked();
    const branch = () => world.db.branchSession({ sessionId: 's1', upTo: 'u1', childId: 's2', now: 9 });
    const [first, second] = [branch(), branch()];
    world.db.branchSession({ sessionId: 's1', upTo: 'a1', childId: 's3', now: 9 });
    expect({
      drafts: [first, second].map(({ draft, draftParts }) => [draft, draftParts]),
      copied: lines(world.db, 's3').slice(2),
    }).toEqual({
      drafts: [
        ['', [file, picture]],
        ['', [file, picture]],
      ],
      copied: ['user: [src/a.ts] image:image/png', 'assistant: A constant.'],
    });
  });

  it('is found by the names of its parts, not their content; without words they title the session', () => {
    world.db.createSession({ id: 's1', startedAt: 1 });
    world.db.openTurn({
      turnUid: 't1',
      sessionId: 's1',
      userMessage: { ...prompt('u1', '', 't1'), parts: promptParts('', [file, picture]) },
      model: 'Local/test',
      startedAt: 2,
    });
    settle(world.db, 't1', complete, [answer('a1', 'A constant.', 't1')]);
    while (world.db.indexBatch(100) > 0);
    const found = (text: string) => world.db.search({ text, limit: 9 }).map(({ messageUid }) => messageUid);
    expect({
      byLabel: found('shot'),
      byPath: found('src/a.ts'),
      byContent: found('quokka'),
      title: world.db.getSession('s1')?.title,
      preview: world.db.listSessions({ limit: 1 })[0]?.preview,
    }).toEqual({
      byLabel: ['u1'],
      byPath: ['u1'],
      byContent: [],
      title: 'src/a.ts, shot.png',
      preview: 'src/a.ts, shot.png',
    });
  });

  it('goes into the next segment with its queue and draft when the session is compressed', () => {
    asked();
    world.db.setDraft('s1', '', [mention]);
    enqueue('q1', '', [picture]);
    world.db.compressSession({ parentId: 's1', childId: 's2', handoff: 'Summary.', summarisedUpTo: 'a0', now: 9 });
    expect({
      rows: world.db
        .activeMessages('s2')
        .slice(1)
        .map(({ parts }) => parts),
      draft: world.db.draftParts('s2'),
      left: world.db.draftParts('s1'),
      queue: world.db.queue('s2').map(({ sessionId, parts }) => [sessionId, parts]),
    }).toEqual({
      rows: [[file, picture], [{ kind: 'text', text: 'A constant.' }]],
      draft: [mention],
      left: [],
      queue: [['s2', [picture]]],
    });
  });

  it('comes over from another store complete, and so do queue and draft', async () => {
    asked();
    enqueue('q1', 'later', [file]);
    world.db.setDraft('s1', 'half', [mention, picture]);
    const here = await sessionDbWorld();
    here.db.mergeFrom(rowsOf(world.database));
    expect({
      parts: here.db.getMessage('u1')?.parts,
      queue: here.db.queue('s1')[0]?.parts,
      draft: [here.db.draft('s1'), here.db.draftParts('s1')],
      sound: here.db.verifyIntegrity(),
    }).toEqual({
      parts: [file, picture],
      queue: [file],
      draft: ['half', [mention, picture]],
      sound: [],
    });
  });

  it('is not joined to the prompt before it: both keep their rows', () => {
    world.db.createSession({ id: 's1', startedAt: 1 });
    world.db.putMessages([
      { ...prompt('u1', 'one', 't'), turnUid: null },
      { ...prompt('u2', 'two', 't'), turnUid: null, parts: promptParts('two', [file]) },
    ]);
    world.db.repairTranscript('s1');
    expect(lines(world.db)).toEqual(['user: one', 'user: two [src/a.ts]']);
  });
});
