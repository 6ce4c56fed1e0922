import fc from 'fast-check';
import { projectToWire } from '../../src/transcript/wireProjection';
import type { UserPart } from '../../src/transcript/part';
import { answer, complete, prompt, sessionDbWorld, settle, type SessionDbWorld } from '../support/sessionDbWorld';
import { smallestFailure } from './smallestFailure';

/** One thing a person does to a session; `pick` chooses among what there is at that moment. A `lost` prompt is one that stands in an imported
 *  history without an answer, so that the next one is joined to it. */
export interface VersionStep {
  readonly kind: 'ask' | 'lost' | 'edit' | 'retry' | 'show' | 'rewind' | 'branch' | 'compress' | 'restart';
  readonly pick: number;
  readonly withAttachment: boolean;
}

const versionStep: fc.Arbitrary<VersionStep> = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('ask', 'lost') },
    { weight: 14, arbitrary: fc.constantFrom('edit', 'retry', 'show', 'show') },
    { weight: 3, arbitrary: fc.constantFrom('rewind', 'branch', 'compress', 'restart') },
  ),
  pick: fc.nat(),
  withAttachment: fc.oneof({ weight: 1, arbitrary: fc.constant(true) }, { weight: 4, arbitrary: fc.constant(false) }),
});

interface Turn {
  readonly uid: string;
  /** The prompt's words. */
  readonly asked: string;
  readonly attachment: string | null;
  /** Prompts behind its answer that were never answered. */
  readonly lost: string[];
  next: Place | null;
}
/** Turns that stand in each other's stead. */
interface Place {
  readonly versions: Turn[];
  shown: number;
}
interface Conversation {
  tip: string;
  /** Words of earlier segments that the newest one does not hold. */
  summarised: string[];
  /** Prompts before the first turn that were never answered. */
  lead: string[];
  first: Place | null;
}

const shownAt = ({ versions, shown }: Place): Turn => versions[shown] as Turn;
const asked = ({ asked: words, attachment }: Turn): readonly string[] =>
  attachment === null ? [words] : [words, attachment];
const said = (turn: Turn): readonly string[] => [...asked(turn), `answer${turn.uid}`, ...turn.lost];

function path({ first }: Conversation): readonly Place[] {
  const places: Place[] = [];
  for (let place = first; place !== null; place = shownAt(place).next) places.push(place);
  return places;
}

/** What should be read and sent, word by word, driven beside the real store. */
class Schedule {
  readonly violations: string[] = [];
  private readonly conversations: Conversation[];
  private counter = 0;

  constructor(public world: SessionDbWorld) {
    world.db.createSession({ id: 's', startedAt: 1 });
    this.conversations = [{ tip: 's', summarised: [], lead: [], first: null }];
    this.lose(this.conversations[0] as Conversation);
  }

  async run({ kind, pick, withAttachment }: VersionStep): Promise<void> {
    const conversation = this.conversations[pick % this.conversations.length] as Conversation;
    const places = path(conversation);
    const place = places[(pick >> 2) % Math.max(1, places.length)];
    switch (kind) {
      case 'ask':
        return this.ask(conversation, places.at(-1), withAttachment);
      case 'lost':
        return this.lose(conversation);
      case 'edit':
      case 'retry':
        return place && this.again(conversation, place, kind, withAttachment);
      case 'show':
        return place && this.show(conversation, place, (pick >> 4) % place.versions.length);
      case 'rewind':
        return place && this.rewind(conversation, places, places.indexOf(place));
      case 'branch':
        return place && this.branch(conversation, places, places.indexOf(place));
      case 'compress':
        return place && this.compress(conversation, places, places.indexOf(place));
      case 'restart':
        this.world = await this.world.reopened();
    }
  }

  compare(after: string): void {
    const { db } = this.world;
    for (const conversation of this.conversations) {
      const expected = [...conversation.lead, ...path(conversation).flatMap((place) => said(shownAt(place)))];
      const page = db
        .readTranscript({ sessionId: conversation.tip, limit: 10_000 })
        .messages.filter(({ visibility }) => visibility.kind === 'shown');
      this.expectSame(`${after}: the transcript of ${conversation.tip}`, wordsIn(page), [
        ...conversation.summarised,
        ...expected,
      ]);
      const active = db.activeMessages(conversation.tip).filter(({ visibility }) => visibility.kind !== 'handoff');
      this.expectSame(
        `${after}: the request of ${conversation.tip}`,
        wordsIn(projectToWire(active, 'Local/test')),
        expected,
      );
      const known = db
        .promptVersions(conversation.tip)
        .map(({ turnUid, versions }) => `${bare(turnUid)} of ${versions.map(bare).join()}`);
      const versions = path(conversation).flatMap((one) =>
        one.versions.length < 2 ? [] : [`${shownAt(one).uid} of ${one.versions.map(({ uid }) => uid).join()}`],
      );
      this.expectSame(`${after}: the versions of ${conversation.tip}`, known, versions);
    }
    this.violations.push(...db.verifyIntegrity().map((problem) => `${after}: ${problem}`));
  }

  /** Every word that is shown is found, and no word that is hidden. */
  compareSearch(): void {
    while (this.world.db.indexBatch(50) > 0);
    const shown = new Set(
      this.conversations.flatMap((one) => [
        ...one.summarised,
        ...one.lead,
        ...path(one).flatMap((place) => said(shownAt(place))),
      ]),
    );
    for (let number = 1; number <= this.counter; number++) {
      const word = `prompt${number}x`;
      const found = this.world.db.search({ text: word, limit: 5 }).length > 0;
      if (found !== shown.has(word))
        this.violations.push(`search ${found ? 'finds the hidden' : 'does not find the shown'} ${word}`);
    }
  }

  private expectSame(what: string, actual: readonly string[], expected: readonly string[]): void {
    if (actual.join(' ') !== expected.join(' '))
      this.violations.push(`${what} is [${actual.join(' ')}] and should be [${expected.join(' ')}]`);
  }

  private word(): string {
    return `prompt${++this.counter}x`;
  }

  private lose(conversation: Conversation): void {
    const word = this.word();
    this.world.db.putMessages([{ ...prompt(`l-${word}`, word, '', conversation.tip), turnUid: null }]);
    const last = path(conversation).at(-1);
    (last === undefined ? conversation.lead : shownAt(last).lost).push(word);
  }

  private ask(conversation: Conversation, last: Place | undefined, withAttachment: boolean): void {
    const place: Place = { versions: [this.turn(conversation, this.word(), withAttachment)], shown: 0 };
    if (last === undefined) conversation.first = place;
    else shownAt(last).next = place;
  }

  private again(conversation: Conversation, place: Place, how: 'edit' | 'retry', withAttachment: boolean): void {
    const before = shownAt(place);
    const replaces = {
      turnUid: this.stored(conversation, before.uid),
      reason: how === 'edit' ? ('edited' as const) : ('retried' as const),
    };
    const turn =
      how === 'edit'
        ? this.turn(conversation, this.word(), withAttachment, replaces)
        : this.turn(conversation, before.asked, before.attachment !== null, replaces);
    place.shown = place.versions.push(turn) - 1;
  }

  /** As a turn of the agent does it: opened, the history repaired before the request, then settled. */
  private turn(
    { tip }: Conversation,
    words: string,
    withAttachment: boolean,
    replaces?: { readonly turnUid: string; readonly reason: 'retried' | 'edited' },
  ): Turn {
    const { db } = this.world;
    const uid = `t${++this.counter}`;
    const attachment = withAttachment ? `file${uid}` : null;
    const parts: readonly UserPart[] = [
      { kind: 'text', text: words },
      ...(attachment === null
        ? []
        : [{ kind: 'attachment' as const, label: 'a.ts', source: 'a.ts', text: attachment }]),
    ];
    db.openTurn({
      turnUid: uid,
      sessionId: tip,
      userMessage: { ...prompt(`u-${uid}`, '', uid, tip), parts },
      model: 'Local/test',
      startedAt: 2,
      ...(replaces === undefined ? {} : { replaces }),
    });
    db.repairTranscript(tip);
    settle(db, uid, complete, [answer(`a-${uid}`, `answer${uid}`, uid, tip)]);
    return { uid, asked: words, attachment, lost: [], next: null };
  }

  private show(conversation: Conversation, place: Place, version: number): void {
    if (place.versions.length < 2) return;
    this.world.db.showVersion({
      sessionId: conversation.tip,
      turnUid: this.stored(conversation, (place.versions[version] as Turn).uid),
      now: 5,
    });
    place.shown = version;
  }

  /** A prompt that was joined to an earlier one cannot be taken back alone. */
  private rewind(conversation: Conversation, places: readonly Place[], index: number): void {
    const before = places[index - 1];
    if ((before === undefined ? conversation.lead : shownAt(before).lost).length > 0) return;
    const to = this.rowOf(conversation, `u-${shownAt(places[index] as Place).uid}`);
    this.world.db.rewindSession({ sessionId: conversation.tip, to, now: 5 });
    if (before === undefined) conversation.first = null;
    else shownAt(before).next = null;
  }

  private branch(conversation: Conversation, places: readonly Place[], index: number): void {
    if (this.conversations.length > 2) return;
    const tip = `b${++this.counter}`;
    const upTo = this.rowOf(conversation, `a-${shownAt(places[index] as Place).uid}`);
    this.world.db.branchSession({ sessionId: conversation.tip, upTo, childId: tip, now: 5 });
    let first: Place | null = null;
    for (const place of places.slice(0, index + 1).toReversed()) {
      const turn = shownAt(place);
      first = { versions: [{ ...turn, lost: place === places[index] ? [] : [...turn.lost], next: first }], shown: 0 };
    }
    this.conversations.push({ tip, summarised: [], lead: [...conversation.lead], first });
  }

  private compress(conversation: Conversation, places: readonly Place[], index: number): void {
    const childId = `${conversation.tip}+`;
    const border = shownAt(places[index] as Place);
    const summarisedUpTo =
      this.world.db.activeMessages(conversation.tip).find(({ uid }) => bare(uid) === `a-${border.uid}`)?.uid ?? '';
    this.world.db.compressSession({ parentId: conversation.tip, childId, handoff: 'before', summarisedUpTo, now: 5 });
    const before = places.slice(0, index + 1).map(shownAt);
    conversation.summarised.push(
      ...conversation.lead,
      ...before.flatMap((turn) => [...asked(turn), `answer${turn.uid}`, ...(turn === border ? [] : turn.lost)]),
    );
    conversation.lead = [...border.lost];
    conversation.first = border.next;
    conversation.tip = childId;
  }

  /** The uid under which a turn of the model is stored: a branch has copies. */
  private stored({ tip }: Conversation, uid: string): string {
    return (
      this.world.db
        .readTranscript({ sessionId: tip, limit: 10_000, includeHidden: true })
        .turns.find((turn) => bare(turn.uid) === uid)?.uid ?? uid
    );
  }

  private rowOf({ tip }: Conversation, uid: string): string {
    return (
      this.world.db.readTranscript({ sessionId: tip, limit: 10_000 }).messages.findLast((row) => bare(row.uid) === uid)
        ?.uid ?? ''
    );
  }
}

const bare = (uid: string): string => uid.replace(/^.*\//, '');

/** The words of prompts, attachments and answers, in order. */
function wordsIn(value: unknown): readonly string[] {
  const texts: string[] = [];
  const walk = (one: unknown): void => {
    if (typeof one !== 'object' || one === null) return;
    for (const [key, inner] of Object.entries(one)) {
      if (key === 'text' && typeof inner === 'string')
        texts.push(...(inner.match(/prompt\d+x|filet\d+|answert\d+/g) ?? []));
      else walk(inner);
    }
  };
  walk(value);
  return texts;
}

/** Runs one schedule; returns what it broke. */
async function versionViolations(steps: readonly VersionStep[]): Promise<readonly string[]> {
  const schedule = new Schedule(await sessionDbWorld());
  try {
    for (const [index, step] of steps.entries()) {
      await schedule.run(step);
      schedule.compare(`step ${index} (${step.kind})`);
      if (schedule.violations.length > 0) return schedule.violations;
    }
    schedule.compareSearch();
    return schedule.violations;
  } catch (error) {
    return [`it threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
  } finally {
    schedule.world.database.close();
  }
}

/** `runs` schedules of what a person does with versions of joined prompts. */
export const failingVersions = (how: { readonly runs: number; readonly seed: number }) =>
  smallestFailure(
    { what: fc.array(versionStep, { maxLength: 30, size: 'max' }), violationsOf: versionViolations },
    how,
  );
