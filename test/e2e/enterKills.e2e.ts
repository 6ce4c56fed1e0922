import { expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { waitFor } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { scriptedVscode } from './scriptedVscode';

const { server, vscode, open, query, ask } = await scriptedVscode();

/** `HERMES_ENTER_TRIALS`: how many; the sweep of up to 400 ms is cut into as many steps. */
const trials = Math.max(3, Number(process.env['HERMES_ENTER_TRIALS']) || 4);
const sweepMs = 400;

/** What is done to the window. The page is loaded again with and without a host that dies with it. */
const ends = ['kill', 'kill and reload', 'reload'] as const;

test(`a prompt is in one place after each of ${trials} kills and reloads around Enter: stored, queued, or in the composer`, async () => {
  server.otherwise(() => reply().says('It is done.'));
  let panel = await open();
  await ask(panel, 'Begin', 'It is done.');
  const found: string[] = [];
  for (let trial = 0; trial < trials; trial++) {
    const end = ends[trial % ends.length] ?? 'kill';
    const text = `Prompt number ${trial + 1} of the sweep`;
    const offset = Math.round((trial * sweepMs) / (trials - 1));
    const pid = await vscode().extensionHostPid();
    // At once, as whoever pastes and sends does: the draft was not saved by time.
    await panel.composer.fill(text);
    await panel.composer.press('Enter');
    await new Promise((resolve) => setTimeout(resolve, offset));
    if (end !== 'reload') process.kill(pid, 'SIGKILL');
    if (end !== 'kill') await panel.workbench.reload();
    await vscode().waitForNewExtensionHost(pid);
    // VS Code restarts a killed host by itself only twice in five minutes; the reload of the next trial resets the count.
    panel = await ChatPanel.attach(panel.workbench);
    const places = async () => {
      const count = (sql: string): number => query(sql, text).length;
      return {
        stored: count("SELECT 1 FROM messages WHERE role = 'user' AND content = ?"),
        queued: count('SELECT 1 FROM queue WHERE text = ?'),
        drafts: count('SELECT 1 FROM drafts WHERE text = ?'),
        composer: (await panel.composer.inputValue()).split(text).length - 1,
      };
    };
    const isSettled = ({ stored, queued, drafts, composer }: Awaited<ReturnType<typeof places>>): boolean =>
      stored + queued + composer === 1 && drafts === composer;
    const seen = await waitFor(`prompt ${trial + 1} to be in one place`, async () =>
      (await panel.composer.isEnabled()) && isSettled(await places()) ? places() : undefined,
    ).catch(places);
    // It stays there: nothing puts it into a second place later.
    await new Promise((resolve) => setTimeout(resolve, 500));
    const later = await places();
    console.log(`${end} ${offset} ms behind Enter: ${JSON.stringify(later)}`);
    if (!isSettled(seen) || !isSettled(later))
      found.push(`${end} ${offset} ms behind Enter: ${JSON.stringify(seen)}, then ${JSON.stringify(later)}`);
    await panel.composer.fill('');
    await panel.settled();
  }
  expect(found).toEqual([]);
});
