import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/store/storeError';
import { activeUids, answered, sessionDbWorld, type SessionDbWorld } from '../support/sessionDbWorld';
import { historyFaults } from '../support/providerRules';

/** One thing a person does to a session; `pick` chooses among what there is at that moment. */
interface Step {
  readonly kind: 'ask' | 'again' | 'switch' | 'rewind' | 'branch' | 'compress' | 'powerCut' | 'diskFull';
  readonly session: number;
  readonly pick: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constant('ask') },
    { weight: 6, arbitrary: fc.constantFrom('again', 'switch') },
    { weight: 3, arbitrary: fc.constantFrom('rewind', 'branch', 'compress') },
    { weight: 1, arbitrary: fc.constantFrom('powerCut', 'diskFull') },
  ),
  session: fc.nat(),
  pick: fc.nat(),
});

/** A place in a session at which turns stand in each other's stead, oldest first. A turn is followed by a place, or by nothing. */
interface Place {
  readonly versions: Turn[];
  shown: number;
}
interface Turn {
  /** As the newest segment names it. */
  readonly uid: string;
  next: Place | null;
}
interface Conversation {
  /** The newest segment. */
  tip: string;
  /** Turns shown in earlier segments and not carried over. */
  before: string[];
  first: Place | null;
  segments: number;
}

const shownAt = ({ versions, shown }: Place): Turn => versions[shown] as Turn;

/** Places shown, from the first on. */
function path({ first }: Conversation): readonly Place[] {
  const places: Place[] = [];
  for (let place = first; place !== null; place = shownAt(place).next) places.push(place);
  return places;
}

/** What should be stored: trees of turns, driven beside the real store. */
class Schedule {
  private readonly conversations: Conversation[] = [{ tip: 's', before: [], first: null, segments: 1 }];
  private counter = 0;
  private full = false;

  constructor(public world: SessionDbWorld) {
    world.db.createSession({ id: 's', startedAt: 1 });
  }

  async run({ kind, session, pick }: Step): Promise<void> {
    const conversation = this.conversations[session % this.conversations.length] as Conversation;
    const places = path(conversation);
    const place = places[pick % Math.max(1, places.length)];
    switch (kind) {
      case 'ask':
        return this.ask(conversation, places.at(-1));
      case 'again':
        return place && this.again(conversation, place, pick % 2 === 0 ? 'retried' : 'edited');
      case 'switch':
        return place && this.switch(conversation, place, pick % place.versions.length);
      case 'rewind':
        return place && this.rewind(conversation, places, pick % places.length);
      case 'branch':
        return place && this.branch(conversation, places, pick % places.length);
      case 'compress':
        return place && this.compress(conversation, places, pick % places.length);
      case 'diskFull':
        this.full = true;
        return;
      case 'powerCut':
        this.world = await this.world.reopened();
    }
  }

  compare(): void {
    const { db } = this.world;
    for (const conversation of this.conversations) {
      const { tip, before } = conversation;
      const places = path(conversation);
      const shown = places.map((place) => shownAt(place).uid);
      const active = activeUids(db, tip);
      const turns = active
        .filter((_, index) => (active.length % 2 === 0 ? index % 2 === 0 : index % 2 === 1))
        .map((uid) => uid.replace(/^.*u-/, ''));
      expect(turns).toEqual(shown);
      expect(historyFaults(db.activeMessages(tip).filter(({ visibility }) => visibility.kind !== 'handoff'))).toEqual(
        [],
      );
      expect(
        db
          .readTranscript({ sessionId: tip, limit: 1000 })
          .messages.filter(({ role, visibility }) => role === 'user' && visibility.kind === 'shown')
          .map(({ uid }) => uid.replace(/^.*u-/, '')),
      ).toEqual([...before, ...shown]);
      expect(
        db
          .promptVersions(tip)
          .map(({ turnUid, versions }) =>
            [turnUid, versions].map(String).map((text) => text.replaceAll(/[^,]*\//g, '')),
          ),
      ).toEqual(
        places
          .filter(({ versions }) => versions.length > 1)
          .map((place) => [shownAt(place).uid, place.versions.map(({ uid }) => uid).join()]),
      );
      expect(db.listSessions({ limit: 99, includeEmpty: true }).find(({ id }) => id === tip)?.turnCount).toBe(
        before.length + shown.length,
      );
    }
    expect(db.verifyIntegrity()).toEqual([]);
  }

  private ask(conversation: Conversation, last: Place | undefined): void {
    const place: Place = { versions: [{ uid: this.answer(conversation), next: null }], shown: 0 };
    if (last === undefined) conversation.first = place;
    else shownAt(last).next = place;
  }

  private again(conversation: Conversation, place: Place, reason: 'retried' | 'edited'): void {
    const uid = this.answer(conversation, { turnUid: this.stored(conversation, shownAt(place).uid), reason });
    place.shown = place.versions.push({ uid, next: null }) - 1;
  }

  private answer(
    { tip }: Conversation,
    replaces?: { readonly turnUid: string; readonly reason: 'retried' | 'edited' },
  ): string {
    const uid = `t${++this.counter}`;
    this.write(() =>
      answered(this.world.db, uid, `text ${uid}`, { sessionId: tip, ...(replaces === undefined ? {} : { replaces }) }),
    );
    return uid;
  }

  private switch(conversation: Conversation, place: Place, version: number): void {
    const turnUid = this.stored(conversation, (place.versions[version] as Turn).uid);
    // A switch to what is shown already is none, but only a prompt that has versions can be asked for one.
    if (place.versions.length > 1)
      this.write(() => this.world.db.showVersion({ sessionId: conversation.tip, turnUid, now: 5 }));
    place.shown = version;
  }

  private rewind(conversation: Conversation, places: readonly Place[], index: number): void {
    const to = this.message(conversation, 'u', shownAt(places[index] as Place).uid);
    this.write(() => this.world.db.rewindSession({ sessionId: conversation.tip, to, now: 5 }), true);
    const before = places[index - 1];
    if (before === undefined) conversation.first = null;
    else shownAt(before).next = null;
  }

  private branch(conversation: Conversation, places: readonly Place[], index: number): void {
    if (this.conversations.length > 2) return;
    const tip = `b${++this.counter}`;
    const upTo = this.message(conversation, 'a', shownAt(places[index] as Place).uid);
    this.write(() => this.world.db.branchSession({ sessionId: conversation.tip, upTo, childId: tip, now: 5 }));
    const branch: Conversation = { tip, before: [], first: null, segments: conversation.segments };
    for (const place of places.slice(0, index + 1).toReversed())
      branch.first = { versions: [{ uid: shownAt(place).uid, next: branch.first }], shown: 0 };
    this.conversations.push(branch);
  }

  private compress(conversation: Conversation, places: readonly Place[], index: number): void {
    const childId = `${conversation.tip}+`;
    const border = shownAt(places[index] as Place);
    const summarisedUpTo =
      activeUids(this.world.db, conversation.tip).find((uid) => uid.replace(/^.*a-/, '') === border.uid) ?? '';
    this.write(() =>
      this.world.db.compressSession({ parentId: conversation.tip, childId, handoff: 'before', summarisedUpTo, now: 5 }),
    );
    conversation.before.push(...places.slice(0, index + 1).map((place) => shownAt(place).uid));
    conversation.first = border.next;
    conversation.tip = childId;
  }

  /** The uid under which a turn of the model is stored: a branch has copies. */
  private stored(conversation: Conversation, uid: string): string {
    const turn = this.world.db
      .readTranscript({ sessionId: conversation.tip, limit: 1000, includeHidden: true })
      .turns.find((one) => one.uid.replace(/^.*\//, '') === uid);
    return turn?.uid ?? uid;
  }

  /** The uid of a turn's prompt or answer as the transcript shows it. */
  private message(conversation: Conversation, kind: 'u' | 'a', uid: string): string {
    const rows = this.world.db.readTranscript({ sessionId: conversation.tip, limit: 1000 }).messages;
    return rows.findLast((row) => row.uid.replace(/^.*\//, '') === `${kind}-${uid}`)?.uid ?? '';
  }

  /** Does a write; on a full disk it fails first, and is repeated as a caller who cannot know what was written would. */
  private write(work: () => unknown, happensOnce = false): void {
    if (this.full && !happensOnce) {
      this.full = false;
      this.world.disk.capacity = 0;
      try {
        work();
      } catch (error) {
        if (!(error instanceof StoreError) || error.causeClass !== 'full') throw error;
      } finally {
        this.world.disk.capacity = Number.POSITIVE_INFINITY;
      }
    }
    work();
  }
}

describe('a session, whatever the user does with it', () => {
  it('shows the requested version, branch and beginning, in every segment', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        const schedule = new Schedule(await sessionDbWorld());
        for (const one of steps) {
          await schedule.run(one);
          schedule.compare();
        }
        schedule.world.database.close();
      }),
      { numRuns: 80 },
    );
  }, 120_000);
});
