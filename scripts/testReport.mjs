/** Reads the reports of test runs, and writes their summary. */
import fs from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Lines of an error that the summary repeats: of a long log often only the end is kept. */
const FAILURE_LINES = 12;

/**
 * @typedef {{ file: string, failed: boolean, ms: number }} FileResult
 * @typedef {{ passed: number, failed: number, problem?: string, failures: string[], files: FileResult[] }} Counts
 */

/**
 * Reads a report of vitest or of the extension host's suites. A skipped test is a failure: a suite says what it checks,
 * or has no such test.
 * @returns {Counts}
 */
export function readReport(file, root) {
  const nothing = { passed: 0, failed: 0, failures: [], files: [] };
  if (!fs.existsSync(file)) return { ...nothing, problem: 'the run left no report' };
  const report = JSON.parse(fs.readFileSync(file, 'utf8'));
  const passed = report.passed ?? report.numPassedTests;
  const failed = report.failed ?? report.numFailedTests;
  const skipped = (report.pending ?? report.numPendingTests ?? 0) + (report.numTodoTests ?? 0);
  if (!Number.isInteger(passed) || !Number.isInteger(failed))
    return { ...nothing, problem: 'the report holds no counts' };
  const results = report.testResults ?? [];
  const failures = results.flatMap((result) => failuresOf(result, root));
  return {
    passed,
    // A file that could not be loaded fails without a failed test.
    failed: Math.max(failed, failures.length) + skipped,
    failures,
    files: results.map(({ name, status, startTime, endTime }) => ({
      file: path.relative(root, name),
      failed: status === 'failed',
      ms: endTime - startTime,
    })),
    ...(skipped > 0 ? { problem: `${skipped} skipped` } : {}),
  };
}

/** The failed tests of a file, each with the first lines of its error. */
function failuresOf({ name, status, message, assertionResults }, root) {
  const tests = assertionResults.filter((test) => test.status === 'failed');
  const file = path.relative(root, name);
  if (tests.length === 0) return status === 'failed' ? [describeFailure(file, message)] : [];
  return tests.map(({ fullName, failureMessages }) =>
    describeFailure(`${file} ${fullName}`, failureMessages.join('\n')),
  );
}

function describeFailure(test, message) {
  const lines = stripVTControlCharacters(message).split('\n').slice(0, FAILURE_LINES);
  return [test, ...lines.map((line) => `    ${line.slice(0, 300)}`)].join('\n');
}

/**
 * @typedef {{ name: string, passed: number, failed: number, ms: number, note?: string }} LayerCounts
 * @typedef {LayerCounts & { failures?: string[], unsteady?: string[], files?: FileResult[] }} LayerResult
 * @param {LayerResult[]} results
 * @param {{ ms: number, slowest: number }} options `slowest`: how many of the slowest files are listed
 * @returns {string} the last line is `N passed, N failed`
 */
export function summary(results, { ms, slowest }) {
  const seconds = (value) => `${(value / 1000).toFixed(1)} s`.padStart(9);
  const files = results.flatMap((result) => result.files ?? []).sort((a, b) => b.ms - a.ms);
  const unsteady = results.flatMap((result) => result.unsteady ?? []);
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  return [
    '',
    ...results.flatMap(({ failures = [] }) => failures.map((failure) => `FAILED ${failure}\n`)),
    ...(slowest > 0 && files.length > 0 ? [`The ${Math.min(slowest, files.length)} slowest files:`] : []),
    ...files.slice(0, slowest).map(({ file, ms: each }) => `  ${seconds(each)}  ${file}`),
    ...(unsteady.length > 0 ? ['Unsteady: failed first, and passed alone. Both outputs are kept:'] : []),
    ...unsteady.map((line) => `  ${line}`),
    ...results.map(({ name, passed, failed, ms: each, note }) => {
      const tests = passed + failed > 0 ? `${passed} passed, ${failed} failed` : 'ok';
      return `${name.padEnd(14)} ${seconds(each)}  ${tests}${note ? ` (${note})` : ''}`;
    }),
    `${'all'.padEnd(14)} ${seconds(ms)}`,
    `${sum('passed')} passed, ${sum('failed')} failed`,
  ].join('\n');
}
