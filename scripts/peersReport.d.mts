import type { PeerCost, PeerStart, TrialKind, TrialResult } from '../test/peers/trialResult';

interface Tried {
  readonly agent: string;
  readonly label: string;
  readonly version: string;
  readonly problems: readonly string[];
}

export interface PeerResult extends Tried {
  readonly kind: TrialKind;
  readonly trials: readonly TrialResult[];
}

export interface CostResult extends Tried {
  readonly kind: 'cost';
  readonly trials: readonly PeerCost[];
}

export interface StartResult extends Tried {
  readonly kind: 'start';
  readonly trials: readonly PeerStart[];
}

/** Puts the tables and the chart into docs/proof.md and docs/proof-peers.svg. `root`: of the project. */
export function writeReport(root: string, results: readonly (PeerResult | CostResult | StartResult)[]): void;
export function peersTable(results: readonly PeerResult[], date: string): string;
export function costsTable(results: readonly (CostResult | StartResult)[], date: string): string;
export function peersChart(results: readonly PeerResult[]): string;
