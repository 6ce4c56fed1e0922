import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** A test file that changes what every module of its process sees has a process of its own. */
const changesItsProcess =
  /\bvi\.(?:mock|doMock|useFakeTimers|setSystemTime|stub\w+|spyOn)\(|@vitest-environment|\bhard_heap_limit *=|\bprocess\.(?:env\b[^=\n;]*[^=!]=[^=]|chdir\()/;

/** How many times longer than usual everything may take; see test/support/vscode/processes.ts. */
const patience = Math.max(1, Number(process.env['HERMES_TEST_PATIENCE']) || 1);

const root = fileURLToPath(new URL('.', import.meta.url));
const folders = ['test/unit', 'test/conformance'];
/** What takes half a minute or more, as begun last it would be waited for alone. */
const longest = [
  'test/{properties,faults,fuzz}/**/*.test.{ts,tsx}',
  'test/unit/webview/{page/viewsForEverybody,page/pseudoLocale,page/languages}.test.ts',
  'test/unit/webview/{markdown/hostileMarkdown,markdown/hostileParsing,chat/components/feed/feed}.test.ts',
  'test/unit/{gateway/crash,store/ownership/twoProcesses,tools/terminal/endingCommands}.test.ts',
];
/** Needs the shells of Windows. */
const otherSystems = process.platform === 'win32' ? [] : ['test/unit/**/*.windows.test.ts'];
/** `HERMES_TESTS_LEFT_OUT`: files that this run leaves out. */
const leftOut = (process.env['HERMES_TESTS_LEFT_OUT'] ?? '').split(',').filter((file) => file !== '');
const alone = folders
  .flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }).map(
      (file) => `${folder}/${file.replaceAll('\\', '/')}`,
    ),
  )
  .filter(
    (file) =>
      /\.test\.tsx?$/.test(file) &&
      !/\.windows\./.test(file) &&
      changesItsProcess.test(readFileSync(root + file, 'utf8')),
  );

export default defineConfig({
  resolve: {
    alias: {
      // Only src/host/ imports `vscode`; its parts that need no editor are tested against a small stand-in.
      vscode: fileURLToPath(new URL('./test/unit/host/fakeVscode.ts', import.meta.url)),
      'fast-check': fileURLToPath(new URL('./test/support/seededFastCheck.ts', import.meta.url)),
    },
  },
  test: {
    testTimeout: 30_000 * patience,
    hookTimeout: 30_000 * patience,
    pool: 'forks',
    // Vitest leaves one processor to itself, which is half of a small machine; many tests wait for timers and disks.
    maxWorkers: '100%',
    // Of tests marked concurrent: each has a page of one browser, where half of its time is for it to come to rest.
    maxConcurrency: 3,
    // Projects run in the order of their names: what takes longest begins first.
    projects: [
      { extends: true, test: { name: 'long', include: longest, exclude: leftOut } },
      { extends: true, test: { name: 'own process', include: alone, exclude: [...longest, ...leftOut] } },
      // To start a process and to load the program in it takes longer than most files take for their tests.
      {
        extends: true,
        test: {
          name: 'shared process',
          include: folders.map((folder) => `${folder}/**/*.test.{ts,tsx}`),
          exclude: [...alone, ...longest, ...otherSystems, ...leftOut],
          isolate: false,
          setupFiles: ['test/support/sharedProcess.ts'],
        },
      },
    ],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
