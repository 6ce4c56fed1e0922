/**
 * `npm run mutations -- <folder or file>`: changes the code in many small ways, one at a time, and lists each change
 * that no fast test notices (Stryker). Texts are left as they are. For a whole folder it fails when the tests notice
 * fewer changes than they did when the limit was set. What is unnoticed: also in
 * `.vscode-test/mutations.html`. Why and when: docs/testing.md.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stryker } from '@stryker-mutator/core';

/** The code that keeps the promise: the tests that decide about it, and the share of changes that they notice at least,
 *  in percent. */
const folders = {
  'src/agent': { tests: ['test/unit/agent/**', 'test/conformance/**'], least: 70 },
  'src/gateway': { tests: ['test/unit/gateway/**', 'test/conformance/**'], least: 70 },
  'src/transcript': {
    tests: ['test/unit/transcript/**', 'test/unit/agent/**', 'test/conformance/sequence', 'test/unit/store/*Repair'],
    least: 70,
  },
  'src/store/session': { tests: ['test/unit/store/*', 'test/unit/store/sync/*'], least: 70 },
};

process.chdir(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..'));
const [asked = '', ...more] = process.argv.slice(2);
const place = asked.replaceAll('\\', '/').replace(/^\.\/|\/$/g, '');
const folder = Object.keys(folders).find((one) => place === one || place.startsWith(`${one}/`));
const isFile = place.endsWith('.ts');

if (folder === undefined || more.length > 0) {
  console.error(`Name one folder, or a folder or file in it: ${Object.keys(folders).join(', ')}`);
  process.exitCode = 1;
} else if (!fs.existsSync(place)) {
  console.error(`There is no ${place}.`);
  process.exitCode = 1;
} else {
  const { tests, least } = folders[folder];
  process.env.HERMES_MUTATION_TESTS = tests.map((pattern) => `${pattern}.test.ts`.replace('**.', '**/*.')).join(',');
  await new Stryker({
    mutate: [isFile ? place : `${place}/**/*.ts`],
    // Changed texts and empty lists are mostly sentences, SQL and options: what a change there means is seldom clear.
    mutator: { excludedMutations: ['ArrayDeclaration', 'ObjectLiteral', 'Regex', 'StringLiteral'] },
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    vitest: { configFile: 'test/mutations/vitest.config.mts', related: true },
    coverageAnalysis: 'perTest',
    // What runs while a module is loaded would need all tests for each change.
    ignoreStatic: true,
    dryRunTimeoutMinutes: 60,
    // A loop without an end is noticed by its number of rounds. This is for what hangs.
    timeoutMS: 20_000 * Math.max(1, Number(process.env.HERMES_TEST_PATIENCE) || 1),
    concurrency: os.availableParallelism(),
    disableTypeChecks: true,
    tempDirName: '.vscode-test/mutations',
    ignorePatterns: ['.vscode-test', 'lab', 'media', 'test/vscode/node_modules'],
    reporters: ['clear-text', 'progress-append-only', 'html'],
    clearTextReporter: { logTests: false, reportTests: false, allowEmojis: false },
    htmlReporter: { fileName: '.vscode-test/mutations.html' },
    thresholds: { high: 100, low: least, break: place === folder ? least : null },
    allowEmpty: false,
  }).runMutationTest();
}
