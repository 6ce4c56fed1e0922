/** The results of `npm run peers` as a table in Markdown and a chart. */
import fs from 'node:fs';
import path from 'node:path';

/**
 * @typedef {import('../test/peers/trialResult').TrialKind} TrialKind
 * @typedef {import('../test/peers/trialResult').TrialResult} TrialResult
 * @typedef {import('../test/peers/trialResult').PeerCost} PeerCost
 * @typedef {{ agent: string, label: string, version: string, problems: string[] }} Tried
 * @typedef {Tried & { kind: TrialKind, trials: TrialResult[] }} PeerResult
 * @typedef {Tried & { kind: 'cost', trials: PeerCost[] }} CostResult
 * @typedef {import('../test/peers/trialResult').PeerStart} PeerStart
 * @typedef {Tried & { kind: 'start', trials: PeerStart[] }} StartResult
 */

/**
 * Puts the tables and the chart into docs/proof.md and docs/proof-peers.svg.
 * @param {string} root
 * @param {(PeerResult | CostResult | StartResult)[]} results
 */
export function writeReport(root, results) {
  const page = path.join(root, 'docs/proof.md');
  const date = new Date().toISOString().slice(0, 10);
  const trials = results.filter((one) => one.kind !== 'cost' && one.kind !== 'start');
  const costs = results.filter((one) => one.kind === 'cost' || one.kind === 'start');
  const chart = '![Share of the shown text that was lost by kill -9](proof-peers.svg)';
  let text = fs.readFileSync(page, 'utf8');
  if (trials.length > 0) {
    text = placed(text, 'peers', `${peersTable(trials, date)}\n\n${chart}`);
    fs.writeFileSync(path.join(root, 'docs/proof-peers.svg'), peersChart(trials));
  }
  if (costs.length > 0) text = placed(text, 'costs', costsTable(costs, date));
  fs.writeFileSync(page, text);
}

/** @param {string} text @param {string} name @param {string} content */
function placed(text, name, content) {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/proof.md has no place for the table: ${begin} … ${end}`);
  return `${text.slice(0, from)}${begin}\n\n${content}\n\n${text.slice(to)}`;
}

/** @param {(CostResult | StartResult)[]} results @param {string} date */
export function costsTable(results, date) {
  const rows = byAgent(results).map(({ label, version, of }) => {
    const [cost, starts] = [of('cost')?.trials[0], of('start')?.trials ?? []];
    const written = cost === undefined ? Array(3).fill('not measured') : turnCells(cost);
    const start = starts.length === 0 ? Array(2).fill('not measured') : startCells(starts);
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

/** @param {PeerCost} cost */
function turnCells({ early, late }) {
  return [kilobytes(early.bytes), kilobytes(late.bytes), String(late.syncs)];
}

/** @param {PeerStart[]} starts */
function startCells(starts) {
  const middle = (/** @type {number[]} */ values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  return [
    `${(middle(starts.map(({ startMs }) => startMs)) / 1000).toFixed(1)} s`,
    `${Math.round(middle(starts.map(({ memory }) => memory)) / 1e6)} MB`,
  ];
}

/** @param {number} bytes */
function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(bytes < 100_000 ? 1 : 0)} KB`;
}

/** @type {{ kind: PeerResult['kind'], title: string, cell: (result: PeerResult | undefined) => string }[]} */
const columns = [
  { kind: 'kill', title: 'Killed (kill -9): lost', cell: lostShare },
  { kind: 'stop', title: 'Stopped: lost / in the next request', cell: keptShares },
  { kind: 'cut', title: 'Connection cut: lost / in the next request', cell: keptShares },
];

/** @param {PeerResult[]} results @param {string} date */
export function peersTable(results, date) {
  const shown = columns.filter(({ kind }) => results.some((one) => one.kind === kind && one.trials.length > 0));
  const rows = byAgent(results).map(
    ({ label, version, of }) =>
      `| ${label} | ${version} | ${shown.map(({ kind, cell }) => measured(of(kind), cell)).join(' | ')} |`,
  );
  return [
    `Measured on ${date}. Shares of the characters that were on the screen, over all trials of an agent: ${trialCounts(results)}.`,
    '',
    `| Agent | Version | ${shown.map(({ title }) => title).join(' | ')} |`,
    `|---|---|${shown.map(() => '---|').join('')}`,
    ...rows,
  ].join('\n');
}

/** @param {PeerResult[]} results */
function trialCounts(results) {
  /** @type {[PeerResult['kind'], string][]} */
  const kinds = [
    ['kill', 'killed'],
    ['stop', 'stopped'],
    ['cut', 'with a cut connection'],
  ];
  return kinds
    .map(([kind, words]) => [
      Math.max(0, ...results.filter((one) => one.kind === kind).map(({ trials }) => trials.length)),
      words,
    ])
    .filter(([most]) => most !== 0)
    .map(([most, words]) => `${most} ${words}`)
    .join(', ');
}

/** Bars of what was lost by kill -9. @param {PeerResult[]} results */
export function peersChart(results) {
  const bars = byAgent(results).flatMap(({ label, of }) => {
    const found = of('kill');
    return found === undefined || found.trials.length === 0 ? [] : [{ label, percent: percentOf(found, 'lost') }];
  });
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

/** @template {Tried & { kind: string }} R @param {R[]} results */
function byAgent(results) {
  const labels = [...new Set(results.map(({ label }) => label))];
  return labels.map((label) => {
    const own = results.filter((result) => result.label === label);
    return {
      label,
      version: own[0]?.version ?? '',
      of: (/** @type {string} */ kind) => own.find((one) => one.kind === kind),
    };
  });
}

/** @param {PeerResult | undefined} result @param {'lost' | 'sentAgain'} figure */
function percentOf(result, figure) {
  const shown = result?.trials.reduce((sum, one) => sum + one.shown, 0) ?? 0;
  const counted = result?.trials.reduce((sum, one) => sum + (one[figure] ?? 0), 0) ?? 0;
  return shown === 0 ? 0 : Math.round((100 * counted) / shown);
}

/** @param {PeerResult | undefined} result @param {(result: PeerResult | undefined) => string} cell */
function measured(result, cell) {
  if (result !== undefined && result.trials.length > 0) return cell(result);
  return result?.problems[0]?.startsWith('it shows') ? 'shows no text before it is complete' : 'not measured';
}

/** @param {PeerResult | undefined} result */
function lostShare(result) {
  return `${percentOf(result, 'lost')} %`;
}

/** @param {PeerResult | undefined} result */
function keptShares(result) {
  return `${percentOf(result, 'lost')} % / ${percentOf(result, 'sentAgain')} %`;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
