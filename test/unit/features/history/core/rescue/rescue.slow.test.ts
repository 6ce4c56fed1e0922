import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ImportService } from '../../../../../../src/features/history/core/import/importing';
import { callsPerSecond } from '../../../../../../src/features/history/core/rescue/rescue';
import { Rescue } from '../../../../../../src/features/history/core/rescue/rescue';
import { NodeRescueRecord } from '../../../../../../src/features/history/core/rescue/rescueRecord';
import type { HistoryFiles } from '../../../../../../src/features/history/core/sources/reading/historyFiles';
import { importWorld, storedOutline, type ImportWorld } from '../../../../../support/history/importWorld';
import { MemoryFiles } from '../../../../../support/history/memoryFiles';
import { placesWith } from '../../../../../support/history/readHistory';
import { ManualClock } from '../../../../../support/manualClock';

const minute = 60_000;
let records: string;
beforeEach(() => {
  records = mkdtempSync(join(tmpdir(), 'hermes-rescue-'));
});
afterEach(() => rmSync(records, { recursive: true }));

function claudeFile(cwd: string, ...prompts: readonly string[]): string {
  return prompts
    .map((content, index) =>
      JSON.stringify({
        type: 'user',
        uuid: `u${index}`,
        parentUuid: index === 0 ? null : `u${index - 1}`,
        sessionId: 's',
        cwd,
        timestamp: '2026-11-25T00:00:00.000Z',
        message: { role: 'user', content },
      }),
    )
    .join('\n');
}

/** A machine whose files can change, and a rescue into one store. */
class RescueWorld {
  readonly clock = new ManualClock();
  readonly failures: string[] = [];
  contents: { [path: string]: string } = {};
  calls = 0;
  imports = 0;
  scanned: string[] = [];
  broken: Error | null = null;
  rescue: Rescue;

  constructor(
    readonly store: ImportWorld,
    readonly name: string,
    scope = 'home',
  ) {
    this.rescue = this.begin(scope);
  }

  static async create(name = 'store', given?: ImportWorld): Promise<RescueWorld> {
    let world: RescueWorld | null = null;
    const store =
      given ??
      (await importWorld({
        list: (folder) => (world?.current ?? expect.fail()).list(folder),
        stat: (path) => (world?.current ?? expect.fail()).stat(path),
        read: (path, range) => (world?.current ?? expect.fail()).read(path, range),
      }));
    world = new RescueWorld(store, name);
    return world;
  }

  /** Starts again, as another window or a later start does. */
  begin(scope: string): Rescue {
    const count = <T>(value: T): T => {
      this.calls++;
      return value;
    };
    const files: HistoryFiles = {
      list: (folder) => count(this.current.list(folder)),
      stat: (path) => count(this.current.stat(path)),
      read: (path, range) => this.current.read(path, range),
    };
    const rescue = new Rescue({
      clock: this.clock,
      files,
      isWanted: () => true,
      places: () => placesWith({ claude: '/c' }),
      isOurs: (folder) => scope.split(' ').some((own) => folder === `/${own}`),
      scope,
      openImporter: () => this.importer(),
      record: new NodeRescueRecord(records, this.name),
      onImported: () => this.imports++,
      report: (failure) => this.failures.push(String(failure)),
    });
    this.rescue = rescue;
    return rescue;
  }

  get current(): MemoryFiles {
    return new MemoryFiles(this.contents);
  }

  /** Lets time pass in steps, so that imports in between end. */
  async pass(milliseconds: number): Promise<void> {
    for (let left = milliseconds; left > 0; left -= 1000) {
      await this.clock.advance(Math.min(left, 1000));
      await this.clock.untilWaiting();
    }
  }

  titles(): readonly unknown[] {
    return this.store.database
      .all('SELECT title FROM sessions WHERE pending IS NULL ORDER BY title')
      .map(({ title }) => title);
  }

  private importer(): ImportService & { close(): Promise<void> } {
    const { importer } = this.store;
    return {
      scan: (places, options) => {
        if (this.broken !== null) return Promise.reject(this.broken);
        this.scanned.push(...(options?.files ?? []).map(({ path }) => path));
        return importer.scan(places, options);
      },
      preview: (found) => importer.preview(found),
      run: (found, options) => importer.run(found, options),
      close: () => Promise.resolve(),
    };
  }
}

async function running(world: RescueWorld, work: () => Promise<void>): Promise<void> {
  const done = world.rescue.run();
  await world.clock.untilWaiting();
  await work();
  world.rescue.dispose();
  await done;
}

test('imports sessions of its folder as they are written, and keeps them when their source is deleted', async () => {
  const world = await RescueWorld.create();
  world.contents = {
    '/c/projects/p/a.jsonl': claudeFile('/home', 'First'),
    '/c/projects/q/b.jsonl': claudeFile('/other', 'Other'),
  };
  await running(world, async () => {
    const first = world.titles();
    world.contents = { ...world.contents, '/c/projects/p/a.jsonl': claudeFile('/home', 'First', 'Second') };
    world.contents['/c/projects/p/new.jsonl'] = claudeFile('/home', 'New');
    await world.pass(2 * minute);
    const grown = storedOutline(world.store).filter((line) => line.includes('Second')).length;
    world.contents = {};
    await world.pass(2 * minute);

    expect({ first, grown, kept: world.titles(), failures: world.failures }).toEqual({
      first: ['First'],
      grown: 1,
      kept: ['First', 'New'],
      failures: [],
    });
    expect(
      Object.values(world.rescue.record.files).map(({ isGone, sessions }) => [isGone, sessions[0]?.title]),
    ).toEqual([
      [true, 'First'],
      [true, 'New'],
    ]);
  });
  expect(world.clock.waiting).toBe(0);
});

test('reads only files that changed, also after a restart', async () => {
  const world = await RescueWorld.create();
  world.contents = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`/c/projects/p/${index}.jsonl`, claudeFile('/home', `Prompt ${index}`)]),
  );
  await running(world, () => world.pass(5 * minute));
  const first = world.scanned.length;
  world.begin('home');
  world.contents['/c/projects/p/7.jsonl'] = claudeFile('/home', 'Prompt 7', 'More');
  await running(world, () => world.pass(5 * minute));

  expect({ first, later: world.scanned.slice(first), sessions: world.titles().length }).toEqual({
    first: 30,
    later: ['/c/projects/p/7.jsonl'],
    sessions: 30,
  });
});

test('makes few calls of the file system, and fewer where nothing changes', async () => {
  const world = await RescueWorld.create();
  world.contents = Object.fromEntries(
    Array.from({ length: 400 }, (_, index) => [`/c/projects/p${index % 20}/${index}.jsonl`, claudeFile('/x', 'Any')]),
  );
  await running(world, async () => {
    await world.pass(minute);
    const busy = world.calls;
    await world.pass(60 * minute);
    const settled = world.calls;
    await world.pass(60 * minute);

    expect(busy).toBeLessThanOrEqual(60 * callsPerSecond + callsPerSecond);
    // A search takes 400 files and 21 folders; the pause between two is at most ten minutes.
    expect((world.calls - settled) / 60).toBeLessThan(60);
    expect(world.calls - settled).toBeGreaterThan(400);
  });
});

test('says once that it fails, and goes on when it can', async () => {
  const world = await RescueWorld.create();
  world.contents = { '/c/projects/p/a.jsonl': claudeFile('/home', 'First') };
  world.broken = new Error('no thread');
  await running(world, async () => {
    await world.pass(30 * minute);
    const failing = { said: [...world.failures], titles: world.titles() };
    world.broken = null;
    await world.pass(30 * minute);

    expect(failing).toEqual({ said: ['Error: no thread'], titles: [] });
    expect({ said: world.failures.length, titles: world.titles() }).toEqual({ said: 1, titles: ['First'] });
  });
});

test('does not bring back a session that was erased here', async () => {
  const world = await RescueWorld.create();
  world.contents = { '/c/projects/p/a.jsonl': claudeFile('/home', 'First') };
  await running(world, async () => {
    const [{ id } = { id: '' }] = world.store.database.all('SELECT id FROM sessions');
    world.store.db.forgetSession(String(id));
    world.contents['/c/projects/p/a.jsonl'] = claudeFile('/home', 'First', 'Second');
    await world.pass(5 * minute);

    expect({ titles: world.titles(), failures: world.failures }).toEqual({ titles: [], failures: [] });
  });
});

test('looks again at files when another folder is open too', async () => {
  const world = await RescueWorld.create();
  world.contents = { '/c/projects/q/b.jsonl': claudeFile('/other', 'Other') };
  await running(world, () => world.pass(minute));
  const before = world.titles();
  world.begin('home other');
  await running(world, () => world.pass(minute));

  expect({ before, after: world.titles() }).toEqual({ before: [], after: ['Other'] });
});

test('keeps a session without a folder in one store only', async () => {
  const file = { '/c/projects/p/a.jsonl': claudeFile('/home', 'No folder').replace('"cwd":"/home",', '') };
  const [one, two] = [await RescueWorld.create('one'), await RescueWorld.create('two')];
  for (const world of [one, two]) {
    world.contents = { ...file };
    await running(world, () => world.pass(minute));
  }

  expect([one.titles(), two.titles()]).toEqual([['No folder'], []]);
});

test('leaves no unfinished record, and reads everything again when its record is damaged', async () => {
  const world = await RescueWorld.create();
  world.contents = { '/c/projects/p/a.jsonl': claudeFile('/home', 'First') };
  await running(world, () => world.pass(minute));
  const [name = ''] = readdirSync(records);
  writeFileSync(join(records, name), '{"version":1');
  world.begin('home');
  await running(world, () => world.pass(minute));

  expect({ names: readdirSync(records), titles: world.titles(), scans: world.scanned.length }).toEqual({
    names: [name],
    titles: ['First'],
    scans: 2,
  });
});
