import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Cipher } from '../../src/features/sync/core/encryption/cipher';
import { encryptedServer } from '../../src/features/sync/core/encryption/encryptedServer';
import type { SyncServer } from '../../src/features/sync/core/syncServer';
import type { ServerRules } from '../support/simulatedServer';
import { type SyncAction, syncActions, SyncMachines, type SyncStep } from './syncMachines';

const runs = Number(process.env['PROPERTY_RUNS'] ?? 60);

const step: fc.Arbitrary<SyncStep> = fc.record({
  machine: fc.nat(2),
  action: fc.constantFrom(...syncActions),
  which: fc.nat(7),
});

async function played(
  seed: number,
  steps: readonly SyncStep[],
  rules: ServerRules = {},
  wrapped?: (server: SyncServer) => SyncServer,
) {
  const all = await SyncMachines.open(seed, rules, null, wrapped);
  try {
    for (const each of steps) await all.take(each);
    await all.calm();
    const held = all.machines.map((machine) => all.documentsOf(machine));
    const kept = all.machines.flatMap((machine) => all.keptBy(machine));
    const problems = all.machines.flatMap(({ world }) => world.db.verifyIntegrity());
    return { all, held, kept, problems, pruned: all.prunedUnseen(), texts: all.held() };
  } finally {
    all.dispose();
  }
}

const rowsIn = (documents: ReadonlyMap<string, string>): string => JSON.stringify([...documents].sort());
const sessionsIn = (documents: ReadonlyMap<string, string> | undefined): readonly string[] =>
  [...(documents ?? new Map<string, string>()).keys()].flatMap((key) => /^session (.*)/.exec(key)?.[1] ?? []);

describe('three machines and a server', () => {
  it.each([
    ['proves what it gives', true],
    ['proves nothing, so that what is forgotten on one is in the trash of the others', false],
  ])('that %s end with the same rows and every answer that was shown, whatever happens', async (_server, isProven) => {
    let divisions = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(step, { minLength: 20, maxLength: 80, size: 'max' }), async (seed, steps) => {
        const { all, held, kept, problems, pruned, texts: everywhere } = await played(seed, steps, { isProven });
        divisions += all.divisions;
        const [first, ...others] = held.map((documents) => [...documents].sort());
        for (const other of others) expect(other).toEqual(first);
        expect(problems).toEqual([]);
        expect(all.overruled).toEqual([]);
        expect(pruned).toEqual([]);
        const lost = [...all.broughtBack].filter((text) => !everywhere.has(text) && !all.forgottenTexts.has(text));
        expect(lost).toEqual([]);
        expect(all.shared).toEqual([]);
        expect(kept.filter((id) => isProven || !(all.forgotten.has(id) || all.revived.has(id)))).toEqual([]);
        const texts = (first ?? []).map(([, row]) => row).filter((row) => row.includes('Answer of'));
        for (const { text, conversationId } of all.shown) {
          const isForgotten = all.forgotten.has(conversationId);
          expect([text, isForgotten && texts.some((row) => row.includes(`"session_id":"${conversationId}"`))]).toEqual([
            text,
            false,
          ]);
          if (isForgotten || all.forgottenTexts.has(text)) continue;
          const original = texts.filter((row) => row.includes(`${text}\\"`) && row.includes('"carried_from":null'));
          // What a machine pruned is on the server and in the trash of others.
          expect([text, original.length > 0 || everywhere.has(text)]).toEqual([text, true]);
        }
      }),
      { numRuns: runs, endOnFailure: true },
    );
    expect(divisions).toBeGreaterThan(10);
  });

  it('end alike when bodies are encrypted, and the server holds nothing else', async () => {
    const cipher = new Cipher(new Uint8Array(32).fill(7), 'git:one');
    let sealed = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), async (seed, steps) => {
        const { all, held } = await played(seed, steps, {}, (server) => encryptedServer(server, cipher));
        expect(new Set(held.map(rowsIn)).size).toBe(1);
        const bodies = [...all.server.conversations.values()].flatMap(({ documents }) =>
          [...documents.values()].flatMap(({ body }) => body ?? []),
        );
        // None in a schedule that forgets everything.
        sealed += bodies.length;
        expect(bodies.filter((body) => !/^hermes1:[\w-]+$/.test(body))).toEqual([]);
      }),
      { numRuns: Math.ceil(runs / 6), endOnFailure: true },
    );
    expect(sealed).toBeGreaterThan(0);
  });

  it('would not keep a leased conversation whole if the server let others send', async () => {
    const steps: SyncStep[] = [
      { machine: 1, action: 'cut', which: 0 },
      { machine: 1, action: 'ask', which: 0 },
      { machine: 1, action: 'settle', which: 0 },
      { machine: 0, action: 'ask', which: 0 },
      { machine: 1, action: 'connect', which: 0 },
      ...Array.from({ length: 4 }, (): SyncStep => ({ machine: 1, action: 'sync', which: 0 })),
      { machine: 0, action: 'settle', which: 0 },
      ...Array.from({ length: 4 }, (): SyncStep => ({ machine: 0, action: 'sync', which: 0 })),
    ];
    const overruled = async (rules: ServerRules): Promise<readonly string[]> =>
      (await played(5, steps, rules)).all.overruled;
    expect([await overruled({}), await overruled({ fences: false })]).toEqual([[], ['session-1']]);
  });

  const told = (machine: number, ...actions: readonly SyncAction[]): readonly SyncStep[] =>
    actions.map((action) => ({ machine, action, which: 0 }));
  const trash = (machine: number): SyncStep => ({ machine, action: 'trash', which: 0 });
  const failover = (which: number): SyncStep => ({ machine: 0, action: 'failover', which });
  it.each<[string, readonly SyncStep[], divisions: number, sessions: number]>([
    [
      'send again what a failover lost, and make no branch of it',
      [...told(0, 'ask', 'settle', 'sync', 'sync'), ...told(1, 'sync', 'sync'), failover(2)],
      0,
      1,
    ],
    [
      'make one branch of a turn that two of them had when a failover lost it and the third one continued',
      [
        ...told(0, 'ask', 'settle', 'sync', 'sync'),
        ...told(1, 'sync', 'sync'),
        failover(2),
        ...told(2, 'time', 'time', 'ask', 'settle', 'sync', 'sync'),
      ],
      // The same one, of which both tell.
      2,
      2,
    ],
    [
      'erase again what a failover brought back',
      [...told(0, 'forget', 'sync', 'sync'), ...told(1, 'sync', 'sync'), failover(4)],
      0,
      0,
    ],
    [
      'erase again what a failover brought back before the one that forgot it had looked',
      [...told(0, 'forget', 'sync'), failover(1)],
      0,
      0,
    ],
    [
      'have again what one of them lost of single rows, the first segment among them',
      told(0, 'ask', 'settle', 'compress', 'sync', 'sync', 'lose', 'sync'),
      0,
      2,
    ],
    [
      'forget everywhere what one forgets that was salvaged, and has not looked at the server since',
      [{ machine: 0, action: 'salvage', which: 1 }, ...told(0, 'forget')],
      0,
      0,
    ],
  ])('%s', async (_name, steps, divisions, sessions) => {
    const { all, held, problems } = await played(5, steps);
    expect([new Set(held.map(rowsIn)).size, all.divisions, sessionsIn(held[0]).length, problems]).toEqual([
      1,
      divisions,
      sessions,
      [],
    ]);
  });

  it.each<[string, ServerRules, readonly SyncStep[]]>([
    [
      'kept to itself what it lost',
      { comparesHeads: false },
      [...told(0, 'ask', 'settle', 'sync', 'sync'), failover(2), ...told(1, 'sync')],
    ],
    [
      'took a version for another one with the same number',
      { chains: false },
      [
        ...told(0, 'ask', 'settle', 'sync', 'sync'),
        failover(2),
        ...told(1, 'time', 'time', 'ask', 'settle', 'sync', 'sync'),
      ],
    ],
  ])('would not end alike after a failover if the server %s', async (_name, rules, steps) => {
    const kinds = async (with_: ServerRules): Promise<number> => {
      const { held } = await played(5, steps, with_);
      return new Set(held.map(rowsIn)).size;
    };
    expect([await kinds({}), (await kinds(rules)) > 1]).toEqual([1, true]);
  });

  it.each<[string, readonly SyncStep[]]>([
    ['is put back', told(0, 'copy', 'ask', 'settle', 'sync', 'sync', 'restore', 'sync')],
    ['is cloned', [...told(1, 'clone'), ...told(0, 'ask', 'settle', 'sync', 'sync'), ...told(1, 'sync')]],
    ['is cloned, as its twin,', [...told(1, 'clone', 'ask', 'settle', 'sync'), ...told(0, 'ask', 'settle', 'sync')]],
    ['is salvaged', told(0, 'ask', 'settle', 'sync', 'sync', 'salvage', 'sync')],
  ])('one that %s has everything, and would not if it left out what its own id sent', async (_name, steps) => {
    const outcome = async (rules: ServerRules): Promise<readonly [kinds: number, hasAll: boolean]> => {
      const { all, held } = await played(5, steps, rules);
      const rows = held.map(rowsIn);
      return [new Set(rows).size, all.shown.every(({ text }) => rows.every((each) => each.includes(text)))];
    };
    expect([await outcome({}), (await outcome({ ownHeads: false, incarnations: false }))[1]]).toEqual([
      [1, true],
      false,
    ]);
  });

  it('are known by ids of their own once a copy was in touch, and would not be if the server kept no incarnations', async () => {
    const steps = [...told(1, 'clone'), ...[0, 1, 0, 1].flatMap((machine) => told(machine, 'ask', 'settle', 'sync'))];
    const shared = async (rules: ServerRules): Promise<number> => (await played(5, steps, rules)).all.shared.length;
    expect([await shared({}), (await shared({ incarnations: false })) > 0]).toEqual([0, true]);
  });

  it.each<[string, ServerRules, readonly SyncStep[]]>([
    [
      'brought back by hand, which was forgotten elsewhere, and would not without a mark of that',
      { marksBroughtBack: false },
      [
        ...told(0, 'copy', 'cut'),
        { machine: 0, action: 'salvage', which: 0 },
        ...told(1, 'forget', 'sync', 'sync'),
        ...told(0, 'bringBack', 'connect', 'sync', 'sync'),
      ],
    ],
    [
      'pruned from its trash, and would not if that were a Forget',
      { prunesHere: false },
      [...told(0, 'time', 'time'), trash(0), ...told(0, 'sync', 'sync'), ...told(1, 'sync', 'sync', 'prune', 'sync')],
    ],
  ])('keep what one of them %s', async (_name, rules, steps) => {
    const isHeld = async (with_: ServerRules): Promise<boolean> => {
      const { all, texts } = await played(5, steps, { isProven: true, ...with_ });
      return all.shown.every(({ text }) => texts.has(text));
    };
    expect([await isHeld({}), await isHeld(rules)]).toEqual([true, false]);
  });

  it('keep everything when one of them has the tables of an earlier build, with a sending whose answer got lost', async () => {
    const all = await SyncMachines.open(5);
    for (const step of told(1, 'time', 'time', 'ask', 'settle', 'sync', 'ask', 'settle')) await all.take(step);
    const [, one] = all.machines;
    one?.world.database.execute(`DROP TABLE sync_heads; DROP TABLE sync_read; DROP TABLE sync_marks;
      ALTER TABLE sync_conversations ADD COLUMN sending INTEGER;
      ALTER TABLE sync_conversations ADD COLUMN due INTEGER NOT NULL DEFAULT 0;
      UPDATE sync_conversations SET sending = 3, sent_changes = '{"turn/turn-2":4}';
      CREATE TABLE sync_positions (origin TEXT PRIMARY KEY NOT NULL, position INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE sync_numbers (kind TEXT PRIMARY KEY NOT NULL, number INTEGER NOT NULL) WITHOUT ROWID`);
    one?.world.db.synced.begin();
    for (const step of told(0, 'time', 'time', 'ask', 'settle', 'sync')) await all.take(step);
    await all.calm();
    const rows = all.machines.map((machine) => rowsIn(all.documentsOf(machine)));
    all.dispose();
    expect(new Set(rows).size).toBe(1);
    expect(all.shown.filter(({ text }) => rows[0]?.includes(text) !== true)).toEqual([]);
    expect(all.shown.length).toBe(4);
  });
});
