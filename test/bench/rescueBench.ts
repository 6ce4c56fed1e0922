import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionImport } from '../../src/history/import/importing';
import { callsPerSecond } from '../../src/history/rescue/pacedFiles';
import { Rescue } from '../../src/history/rescue/rescue';
import { emptyRecord, type RescuedFile, type RescueRecord } from '../../src/history/rescue/rescueRecord';
import { usualPlaces } from '../../src/history/sources/historyPlaces';
import type { HistoryFiles } from '../../src/history/sources/reading/historyFiles';
import { NodeHistoryFiles } from '../../src/history/sources/reading/nodeHistoryFiles';

export interface RescueFigures {
  readonly files: number;
  /** Calls of the file system in one search. */
  readonly calls: number;
  /** Processor time of one search. */
  readonly cpuSeconds: number;
  /** Share of a core while a search is under way: its calls are spread over time. */
  readonly percentOfCore: number;
}

/** Searches real files of an agent, of which none changed, without the pauses between calls. */
export async function benchRescue(files: number): Promise<RescueFigures> {
  const root = mkdtempSync(join(tmpdir(), 'hermes-rescue-'));
  try {
    const paths = makeSessions(root, files);
    return await measure(root, paths);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function measure(root: string, paths: readonly string[]): Promise<RescueFigures> {
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
  const cpuSeconds = (user + system) / 1e6;
  const percentOfCore = (cpuSeconds / (calls / callsPerSecond)) * 100;
  return { files: paths.length, calls, cpuSeconds, percentOfCore: Math.round(percentOfCore * 1000) / 1000 };
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
