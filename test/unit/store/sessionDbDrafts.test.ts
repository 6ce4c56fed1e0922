import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type PromptDraft, type DraftPart, draftAfter, joinedDraft } from '../../../src/transcript/draftPart';
import { openTurn, runningTurn, sessionDbWorld, type SessionDbWorld } from '../../support/sessionDbWorld';

let world: SessionDbWorld;
beforeEach(async () => {
  world = await sessionDbWorld();
});

const mention: DraftPart = { kind: 'mention', source: 'file:src/a.ts', label: 'src/a.ts' };
const other: DraftPart = { kind: 'mention', source: 'problems', label: 'problems' };
const draftOf = (key: string): readonly [string, readonly DraftPart[]] => [
  world.db.draft(key),
  world.db.draftParts(key),
];
const open = (text: string, key = 's1', uid = 'u1'): void => {
  world.db.createSession({ id: 's1', startedAt: 1 });
  openTurn(world.db, { turnUid: `turn of ${uid}`, userUid: uid, text, draft: { key, text } });
};
const enqueue = (uid: string, text: string, draft: PromptDraft): unknown =>
  world.db.enqueue({ uid, sessionId: 's1', text, createdAt: 5, draft });

describe('a stored prompt leaves the draft it was sent from in the same transaction', () => {
  it('as a turn, across a power cut', async () => {
    world.db.setDraft('s1', 'Do it');
    open('Do it');
    const again = await world.reopened();
    expect([again.db.getMessage('u1')?.role, again.db.draft('s1')]).toEqual(['user', '']);
  });

  it('in the queue, across a power cut', async () => {
    runningTurn(world.db);
    world.db.setDraft('s1', 'Do it', [mention]);
    enqueue('q1', 'Do it', { key: 's1', text: 'Do it', parts: [mention] });
    const again = await world.reopened();
    expect([again.db.queuedPrompt('q1')?.text, again.db.draft('s1'), again.db.draftParts('s1')]).toEqual([
      'Do it',
      '',
      [],
    ]);
  });

  it('as the first one of a session, from the draft of the empty state', () => {
    world.db.setDraft('new', 'Do it');
    open('Do it', 'new');
    expect(world.db.draft('new')).toBe('');
  });

  it('and text typed after it in the empty state is the draft of the session that it began, whenever it is saved', () => {
    world.db.setDraft('new', 'and', undefined, { sent: [{ uid: 'u1', text: 'Do it' }] });
    open('Do it', 'new');
    const behind = [world.db.draft('new'), world.db.draft('s1')];
    world.db.setDraft('new', 'and more', undefined, { sent: [{ uid: 'u1', text: 'Do it' }] });
    expect([behind, world.db.draft('new'), world.db.draft('s1')]).toEqual([['', 'and'], '', 'and more']);
  });

  it('and prompts that are not stored, and what is attached to them and to the text, are the draft of the session that it began', () => {
    open('Do it', 'new');
    const sent = [
      { uid: 'u1', text: 'Do it' },
      { uid: 'u2', text: 'refused', parts: [mention] },
    ];
    world.db.setDraft('new', 'and', [other], { sent });
    expect([draftOf('new'), draftOf('s1')]).toEqual([
      ['', []],
      [joinedDraft(['refused', 'and']), [mention, other]],
    ]);
  });

  it('and a view that showed the empty state shows the session that it began, across a power cut', async () => {
    world.db.setMeta('shown:chat', '');
    world.db.createSession({ id: 's1', startedAt: 1 });
    openTurn(world.db, { turnUid: 't1', draft: { key: 'new', text: 'Do it', shownKey: 'shown:chat' } });
    const again = await world.reopened();
    expect(again.db.getMeta('shown:chat')).toBe('s1');
  });

  it('and a view that shows a session keeps showing it', () => {
    world.db.setMeta('shown:chat', 's2');
    world.db.createSession({ id: 's1', startedAt: 1 });
    openTurn(world.db, { turnUid: 't1', draft: { key: 's1', text: 'Do it', shownKey: 'shown:chat' } });
    expect(world.db.getMeta('shown:chat')).toBe('s2');
  });

  it('from the draft that its session carried into the next segment', () => {
    world.db.setDraft('s1', 'Do it');
    open('Do it', 'an earlier segment');
    expect(world.db.draft('s1')).toBe('');
  });

  it('and so does a command that was typed for it, with its words', () => {
    runningTurn(world.db);
    world.db.setDraft('s1', '/queue Do it');
    enqueue('q1', 'Do it', { key: 's1', text: '/queue Do it' });
    expect(world.db.draft('s1')).toBe('');
  });

  it.each([
    ['what was typed behind it stays', 'Do it\n\nand more', [], 'and more'],
    ['what was attached behind it stays', 'Do it', [other], ''],
    ['another text stays as it is', 'Do it well', [], 'Do it well'],
    ['what another window wrote stays', 'something else', [], 'something else'],
  ])('%s', (_name, text, behind, left) => {
    const sent = text.startsWith('Do it') && text !== 'Do it well' ? [mention] : [];
    world.db.createSession({ id: 's1', startedAt: 1 });
    world.db.setDraft('s1', text, [...sent, ...behind]);
    openTurn(world.db, {
      turnUid: 't1',
      userUid: 'u1',
      text: 'Do it',
      draft: { key: 's1', text: 'Do it', parts: sent },
    });
    expect(draftOf('s1')).toEqual([left, behind]);
  });

  it('but not a draft with other attachments, nor one where the prompt was not typed', () => {
    world.db.createSession({ id: 's1', startedAt: 1 });
    world.db.setDraft('s1', 'Do it', [other]);
    openTurn(world.db, {
      turnUid: 't1',
      userUid: 'u1',
      text: 'Do it',
      draft: { key: 's1', text: 'Do it', parts: [mention] },
    });
    world.db.setDraft('new', 'Do it');
    runningTurn(world.db, { turnUid: 't2', sessionId: 's2' });
    world.db.enqueue({ uid: 'q1', sessionId: 's2', text: 'Do it', createdAt: 5 });
    expect([draftOf('s1'), draftOf('new')]).toEqual([
      ['Do it', [other]],
      ['Do it', []],
    ]);
  });
});

describe('a draft that is saved while prompts are on their way', () => {
  it('holds those that are not stored, before its text, and none that is stored', () => {
    runningTurn(world.db);
    world.db.enqueue({ uid: 'q1', sessionId: 's1', text: 'first', createdAt: 5 });
    const sent = [
      { uid: 'q1', text: 'first', parts: [mention] },
      { uid: 'q2', text: 'second', parts: [other] },
    ];
    world.db.setDraft('s1', 'third', [], { sent });
    const before = draftOf('s1');
    enqueue('q2', 'second', { key: 's1', text: 'second', parts: [other] });
    const after = draftOf('s1');
    world.db.setDraft('s1', 'third', [], { sent });
    expect([before, after, draftOf('s1')]).toEqual([
      ['second\n\nthird', [other]],
      ['third', []],
      ['third', []],
    ]);
  });

  it('is only under its new key when the session gets another one', () => {
    world.db.setDraft('new', 'half');
    world.db.setDraft('s1', 'half a thought', undefined, { from: 'new' });
    expect([world.db.draft('new'), world.db.draft('s1')]).toEqual(['', 'half a thought']);
  });

  it('holds each text once, whatever the order of storing and saving', () => {
    const texts = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}(\n\n?[a-z]{1,3})?$/), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(texts, fc.stringMatching(/^[A-Z]{0,5}$/), (sent, rest) => {
        let draft = joinedDraft([...sent, rest]);
        for (const [index, text] of sent.entries()) {
          draft = draftAfter(draft, text) ?? 'not ahead';
          expect(draft).toBe(joinedDraft([...sent.slice(index + 1), rest]));
        }
      }),
      { numRuns: 200 },
    );
  });
});
