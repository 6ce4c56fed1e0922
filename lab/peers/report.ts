import { readFileSync, writeFileSync } from 'node:fs';
import { median } from '../bench/figures';
import type { PeerCost, PeerStart, TrialKind, TrialResult } from './trialResult';

interface Tried {
  readonly agent: string;
  readonly label: string;
  readonly version: string;
  /** Why trials failed. */
  readonly problems: readonly string[];
}
type TrialsResult = Tried & { readonly kind: TrialKind; readonly trials: readonly TrialResult[] };
type CostResult = Tried & { readonly kind: 'cost'; readonly trials: readonly PeerCost[] };
type StartResult = Tried & { readonly kind: 'start'; readonly trials: readonly PeerStart[] };
/** What was measured of one agent. */
export type PeerResult = TrialsResult | CostResult | StartResult;

const page = 'docs/proof.md';

/** Puts the tables and the chart into docs/proof.md and docs/proof-peers.svg. */
export function writeReport(results: readonly PeerResult[]): void {
  const date = new Date().toISOString().slice(0, 10);
  const isCost = (one: PeerResult): one is CostResult | StartResult => one.kind === 'cost' || one.kind === 'start';
  const costs = results.filter(isCost);
  const trials = results.filter((one): one is TrialsResult => !isCost(one));
  let text = readFileSync(page, 'utf8');
  if (trials.length > 0) {
    const chart = '![Share of the shown text that was lost by kill -9](proof-peers.svg)';
    text = placed(text, 'peers', `${peersTable(trials, date)}\n\n${chart}`);
    writeFileSync('docs/proof-peers.svg', peersChart(trials));
  }
  if (costs.length > 0) text = placed(text, 'costs', costsTable(costs, date));
  writeFileSync(page, text);
}

function placed(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} has no place for the table: ${begin} … ${end}`);
  return `${text.slice(0, from)}${begin}\n\n${content}\n\n${text.slice(to)}`;
}

export function costsTable(results: readonly (CostResult | StartResult)[], date: string): string {
  const rows = byAgent(results).map(({ label, version, own }) => {
    const [cost] = own.flatMap((one) => (one.kind === 'cost' ? one.trials : []));
    const starts = own.flatMap((one) => (one.kind === 'start' ? one.trials : []));
    const written = cost === undefined ? Array<string>(3).fill('not measured') : turnCells(cost);
    const start = starts.length === 0 ? Array<string>(2).fill('not measured') : startCells(starts);
    return `| ${[label, version, ...written, ...start].join(' | ')} |`;
  });
  return [
    `Measured on ${date}.`,
    '',
    '| Agent | Version | Written, turn 5 | Written, turn 50 | Syncs, turn 50 | Start | Memory |',
    `|---|---|${'---:|'.repeat(5)}`,
    ...rows,
  ].join('\n');
}

function turnCells({ early, late }: PeerCost): readonly string[] {
  return [kilobytes(early.bytes), kilobytes(late.bytes), String(late.syncs)];
}

function startCells(starts: readonly PeerStart[]): readonly string[] {
  return [
    `${(median(starts.map(({ startMs }) => startMs)) / 1000).toFixed(1)} s`,
    `${Math.round(median(starts.map(({ memory }) => memory)) / 1e6)} MB`,
  ];
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(bytes < 100_000 ? 1 : 0)} KB`;
}

const columns: readonly { readonly kind: TrialKind; readonly title: string; readonly words: string }[] = [
  { kind: 'kill', title: 'Killed (kill -9): lost', words: 'killed' },
  { kind: 'stop', title: 'Stopped: lost / in the next request', words: 'stopped' },
  { kind: 'cut', title: 'Connection cut: lost / in the next request', words: 'with a cut connection' },
];

function peersTable(results: readonly TrialsResult[], date: string): string {
  const most = (wanted: TrialKind): number =>
    Math.max(0, ...results.filter(({ kind }) => kind === wanted).map(({ trials }) => trials.length));
  const shown = columns.filter(({ kind }) => most(kind) > 0);
  const counts = shown.map(({ kind, words }) => `${most(kind)} ${words}`).join(', ');
  const rows = byAgent(results).map(
    ({ label, version, own }) =>
      `| ${label} | ${version} | ${shown.map(({ kind }) => cell(own.find((one) => one.kind === kind))).join(' | ')} |`,
  );
  return [
    `Measured on ${date}. Shares of the characters that were on the screen, over all trials of an agent: ${counts}.`,
    '',
    `| Agent | Version | ${shown.map(({ title }) => title).join(' | ')} |`,
    `|---|---|${shown.map(() => '---|').join('')}`,
    ...rows,
  ].join('\n');
}

function cell(result: TrialsResult | undefined): string {
  if (result === undefined || result.trials.length === 0)
    return result?.problems[0]?.startsWith('it shows') ? 'shows no text before it is complete' : 'not measured';
  const lost = `${percentOf(result, 'lost')} %`;
  return result.kind === 'kill' ? lost : `${lost} / ${percentOf(result, 'sentAgain')} %`;
}

/** Bars of what was lost by kill -9. */
function peersChart(results: readonly TrialsResult[]): string {
  const bars = results
    .filter(({ kind, trials }) => kind === 'kill' && trials.length > 0)
    .map((result) => ({ label: result.label, percent: percentOf(result, 'lost') }));
  const [rowHeight, left, width] = [30, 130, 400];
  const height = bars.length * rowHeight + 50;
  const rows = bars.map(({ label, percent }, index) => {
    const y = 40 + index * rowHeight;
    const length = Math.max(2, (percent / 100) * width);
    return [
      `<text x="${left - 10}" y="${y + 15}" text-anchor="end">${escaped(label)}</text>`,
      `<rect x="${left}" y="${y}" width="${length}" height="20" rx="3" class="${percent === 0 ? 'none' : 'lost'}"/>`,
      `<text x="${left + length + 8}" y="${y + 15}">${percent} %</text>`,
    ].join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + width + 70}" height="${height}" role="img" aria-label="Share of the shown text that was lost by kill -9">
<style>
text { font: 13px system-ui, sans-serif; fill: #24292f; }
.title { font-weight: 600; }
.lost { fill: #b35900; }
.none { fill: #1a7f37; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .lost { fill: #f0883e; } .none { fill: #3fb950; } }
</style>
<text x="10" y="22" class="title">Shown text that was lost by kill -9 in the middle of an answer</text>
${rows.join('\n')}
</svg>
`;
}

function byAgent<R extends PeerResult>(
  results: readonly R[],
): readonly { readonly label: string; readonly version: string; readonly own: readonly R[] }[] {
  const labels = [...new Set(results.map(({ label }) => label))];
  return labels.map((label) => {
    const own = results.filter((result) => result.label === label);
    return { label, version: own[0]?.version ?? '', own };
  });
}

function percentOf({ trials }: TrialsResult, figure: 'lost' | 'sentAgain'): number {
  const shown = trials.reduce((sum, one) => sum + one.shown, 0);
  const counted = trials.reduce((sum, one) => sum + (one[figure] ?? 0), 0);
  return shown === 0 ? 0 : Math.round((100 * counted) / shown);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
