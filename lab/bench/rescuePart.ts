import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionImport } from '../../src/history/import/importing';
import { callsPerSecond } from '../../src/history/rescue/pacedFiles';
import { Rescue } from '../../src/history/rescue/rescue';
import { emptyRecord, type RescuedFile, type RescueRecord } from '../../src/history/rescue/rescueRecord';
import { usualPlaces } from '../../src/history/sources/historyPlaces';
import type { HistoryFiles } from '../../src/history/sources/reading/historyFiles';
import { NodeHistoryFiles } from '../../src/history/sources/reading/nodeHistoryFiles';
import { inTemporaryFolder } from '../support/temporaryFolder';
import { grouped, rounded } from './figures';
import type { Part } from './part';

/** Searches real files of an agent, of which none changed, without the pauses between calls. `size`: files. */
export const rescuePart: Part = ({ quick, size }) =>
  inTemporaryFolder('rescue', async (root) => {
    const files = size ?? (quick ? 1_000 : 5_000);
    const { calls, cpuSeconds } = await measure(root, makeSessions(root, files));
    // While a search is under way, its calls are spread over time.
    const percentOfCore = rounded((cpuSeconds / (calls / callsPerSecond)) * 100, 3);
    console.log(
      `  ${grouped(calls)} calls of the file system, ${rounded(cpuSeconds, 2)} s of processor time: ${percentOfCore} % of a core at the pace of a search`,
    );
    const aim = `search for changes among ${grouped(files)} sessions of another agent, % of a core`;
    return { figures: { files, calls, cpuSeconds, percentOfCore }, aims: [{ aim, value: percentOfCore, most: 1 }] };
  });

/** Calls and processor time of one search. */
async function measure(
  root: string,
  paths: readonly string[],
): Promise<{ readonly calls: number; readonly cpuSeconds: number }> {
  const real = new NodeHistoryFiles();
  const entries = await Promise.all(
    paths.map(async (path): Promise<[string, RescuedFile]> => {
      const facts = await real.stat(path);
      return [path, { stamp: `${facts?.size}/${facts?.modifiedAt}`, isGone: false, sessions: [] }];
    }),
  );
  const record: RescueRecord = { ...emptyRecord, scope: 'bench', files: Object.fromEntries(entries) };
  let calls = 0;
  const counted: HistoryFiles = {
    list: (folder) => (calls++, real.list(folder)),
    stat: (path) => (calls++, real.stat(path)),
    read: (path, range) => (calls++, real.read(path, range)),
  };
  const rescue: Rescue = new Rescue({
    // The pause after the search is the first long one.
    clock: {
      now: () => Date.now() / 1000,
      monotonicMs: () => performance.now(),
      after: (delayMs, callback) => {
        if (delayMs > 1000) rescue.dispose();
        setImmediate(callback);
        return () => undefined;
      },
    },
    files: counted,
    places: () => usualPlaces({ home: root, platform: 'linux', environment: {} }),
    isOurs: () => false,
    scope: 'bench',
    openImporter: unexpected,
    record: { load: () => Promise.resolve(record), save: unexpected, keptElsewhere: unexpected },
    onImported: unexpected,
    report: (failure) => {
      throw failure;
    },
  });
  const cpu = process.cpuUsage();
  await rescue.run();
  const { user, system } = process.cpuUsage(cpu);
  return { calls, cpuSeconds: (user + system) / 1e6 };
}

function unexpected(): SessionImport & { close(): Promise<void> } & Promise<never> {
  throw new Error('Nothing changed, so nothing is imported.');
}

function makeSessions(root: string, files: number): readonly string[] {
  return Array.from({ length: files }, (_, index) => {
    const folder = join(root, `.claude/projects/project-${index % 100}`);
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${index}.jsonl`);
    writeFileSync(path, '{}\n');
    return path;
  });
}
