import fs from 'node:fs';
import path from 'node:path';
import Mocha from 'mocha';

/**
 * Entry of the suites that run inside the extension host: VS Code calls `run`, and a rejection is a failed run. The counts go to the file
 * named by HERMES_TEST_REPORT, because an exit code alone cannot tell them.
 */
export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: 'tdd', timeout: 300_000, color: false, reporter: 'spec', forbidOnly: true });
  const suites = path.join(__dirname, 'suites');
  for (const file of fs
    .readdirSync(suites)
    .filter((name) => name.endsWith('.js'))
    .sort())
    mocha.addFile(path.join(suites, file));
  const { failures, stats } = await new Promise<{ failures: number; stats: Mocha.Stats | undefined }>((resolve) => {
    const runner = mocha.run((count) => resolve({ failures: count, stats: runner.stats }));
  });
  const report = process.env['HERMES_TEST_REPORT'];
  if (report)
    fs.writeFileSync(
      report,
      JSON.stringify({ passed: stats?.passes ?? 0, failed: failures, pending: stats?.pending ?? 0 }),
    );
  if (failures > 0) throw new Error(`${failures} of the extension host's tests failed`);
  if (!stats || stats.passes === 0) throw new Error('No test ran in the extension host');
}
