import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresWorld } from '../../support/postgres/postgresWorld';
import { seedStore } from '../seedStore';
import { benchCut, benchHistory, type CutFigures, type SyncBenchPlace, type TransferFigures } from './historyExchange';
import { benchIdle, benchTurnCost, benchVisible } from './settledTurns';

export interface SyncPlan {
  /** Messages of the history that is sent and received. */
  readonly messages: number;
  /** Messages of the history whose sending is cut. */
  readonly cutMessages: number;
  /** Turns that another machine waits for. */
  readonly visibleTurns: number;
  /** Rounds of ten turns with and ten without sync. */
  readonly rounds: number;
}

export interface SyncFigures {
  readonly messages: number;
  readonly upload: TransferFigures;
  readonly download: TransferFigures;
  readonly cut: CutFigures;
  readonly visibleMs: { readonly p50: number; readonly p95: number; readonly max: number };
  readonly turnMs: { readonly without: number; readonly withSync: number; readonly ratio: number };
  /** Statements in 30 seconds. */
  readonly idleStatements: number;
}

/** Exchanges with a real PostgreSQL on this machine, which waits for its disk. `packages`: where better-sqlite3 is
 *  installed. `bundles`: folder with storeWorker.js and sql-wasm.wasm. */
export async function benchSync(plan: SyncPlan, packages: string, bundles: string): Promise<SyncFigures> {
  const root = mkdtempSync(join(tmpdir(), 'hermes-sync-'));
  const world = await PostgresWorld.start({ durable: true });
  try {
    return await measure(plan, { world, root, bundles }, packages);
  } finally {
    await world.close();
    rmSync(root, { recursive: true, force: true });
  }
}

async function measure(plan: SyncPlan, place: SyncBenchPlace, packages: string): Promise<SyncFigures> {
  const seeded = (name: string, messages: number): string => {
    const folder = join(place.root, name);
    mkdirSync(folder);
    seedStore(folder, packages, messages);
    return folder;
  };
  const cost = await benchTurnCost(place, plan.rounds);
  const visible = await benchVisible(place, plan.visibleTurns);
  const idleStatements = await benchIdle(place);
  const cut = await benchCut(place, seeded('to-be-cut', plan.cutMessages));
  const history = await benchHistory(place, seeded('laptop', plan.messages));
  const [without, withSync] = [quantile(cost.without, 0.5), quantile(cost.withSync, 0.5)];
  return {
    ...history,
    cut,
    visibleMs: {
      p50: Math.round(quantile(visible, 0.5)),
      p95: Math.round(quantile(visible, 0.95)),
      max: Math.round(quantile(visible, 1)),
    },
    turnMs: { without: hundredths(without), withSync: hundredths(withSync), ratio: hundredths(withSync / without) },
    idleStatements,
  };
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
