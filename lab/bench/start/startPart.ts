import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureChromium } from '../../../scripts/chromiumInstall.mjs';
import { layOut } from '../../../scripts/package.mjs';
import { ensureVscode } from '../../../scripts/vscodeInstall.mjs';
import { inTemporaryFolder } from '../../support/temporaryFolder';
import type { Part } from '../part';

/** What a start keeps for the next one is written ten seconds after it (src/host/start/). */
const untilKeptMs = 20_000;

/** In milliseconds, as VS Code's own performance report says. `ms`: loading the code and the call of `activate`. */
interface Activation {
  readonly ms: number;
  readonly load: number;
  readonly call: number;
  readonly finish: number;
}

/** Starts the extension as it is shipped in a real VS Code. `size`: starts after the first one, of which the median
 *  counts. */
export const startPart: Part = async ({ quick, size }) => {
  if (process.platform === 'linux' && !process.env['VSCODE_EXECUTABLE']) {
    await ensureVscode(console.log);
    await ensureChromium(console.log);
  }
  return inTemporaryFolder('start', async (session) => {
    const extension = join(session, 'extension');
    await layOut(extension);
    const home = join(session, 'home');
    // Compiles what the later starts find.
    const first = await activateOnce(extension, home, untilKeptMs);
    const later: Activation[] = [];
    for (let run = 0; run < (size ?? (quick ? 1 : 3)); run++) later.push(await activateOnce(extension, home, 0));
    const middle = later.toSorted((one, other) => one.ms - other.ms)[Math.floor(later.length / 2)] ?? first;
    console.log(`  first start of a version: ${first.ms} ms; later: ${middle.ms} ms`);
    return {
      figures: { firstActivation: first, activation: middle },
      aims: [
        {
          aim: 'activation in a real VS Code (load + activate), after the first start, ms',
          value: middle.ms,
          most: 50,
        },
      ],
    };
  });
};

/** `stayMs`: how long the window stays open. */
async function activateOnce(extension: string, home: string, stayMs: number): Promise<Activation> {
  const { runTests } = await import('@vscode/test-electron');
  const [report, folder] = [join(home, 'report.json'), join(home, 'folder')];
  mkdirSync(folder, { recursive: true });
  const executable =
    process.env['VSCODE_EXECUTABLE'] ??
    (process.platform === 'linux' ? join(process.cwd(), 'test/support/vscode/code.mjs') : undefined);
  await runTests({
    ...(executable !== undefined && { vscodeExecutablePath: executable }),
    extensionDevelopmentPath: extension,
    extensionTestsPath: join(process.cwd(), 'lab/bench/start/activationProbe.cjs'),
    extensionTestsEnv: {
      HERMES_TEST_REPORT: report,
      HERMES_TEST_STAY: String(stayMs),
      HERMES_SESSION_FOLDER: join(home, 'code'),
    },
    launchArgs: [folder, `--user-data-dir=${join(home, 'data')}`, `--extensions-dir=${join(home, 'extensions')}`],
  });
  const times = JSON.parse(readFileSync(report, 'utf8')) as Omit<Activation, 'ms'>;
  return { ms: times.load + times.call, ...times };
}
