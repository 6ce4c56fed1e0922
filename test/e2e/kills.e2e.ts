import { expect, test } from 'vitest';
import { reply } from '../support/modelServer';
import { ChatPanel, drawn } from './chatPanel';
import { gate } from './gate';
import { numberedWords } from './words';
import { scriptedVscode } from './scriptedVscode';

const { server, vscode, open, query } = await scriptedVscode();

/** `HERMES_KILL_TRIALS`: how many. Each falls into its own part of the answer, so that beginning, middle and end are met. */
const kills = Math.max(2, Number(process.env['HERMES_KILL_TRIALS']) || 3);
const answerWords = 300;
/** Words that are said as they come. The rest waits until the host is gone: on a slow machine the answer would end before the kill. */
const wordsBefore = 255;

interface Kill {
  /** Longest text of the answer that the panel was seen to render before its host was gone. */
  readonly rendered: string;
  readonly whole: string;
  readonly stored: string;
  readonly redrawn: string;
  readonly stopReason: string | null;
}

/** What the panel rendered last, `seen` at the least: the page goes on drawing what its host had sent, until the host is replaced. */
async function longestRendered(panel: ChatPanel, seen: string, until: Promise<unknown>): Promise<string> {
  let longest = seen;
  let done = false;
  void until.finally(() => (done = true));
  while (!done) {
    const text = await panel.lastAnswer().catch(() => '');
    if (text.length > longest.length) longest = text;
  }
  return longest;
}

test(`${kills} kills of the extension host in the middle of an answer lose and double nothing that was rendered`, async () => {
  let panel = await open();
  const results: Kill[] = [];
  for (let index = 0; index < kills; index++) {
    const whole = numberedWords(`k${index + 1}-`, answerWords);
    const hostIsGone = gate();
    const first = numberedWords(`k${index + 1}-`, wordsBefore);
    server.script(reply().says(first, { every: 6 }).waitsFor(hostIsGone.opened).says(whole.slice(first.length)));
    await panel.send(`Answer number ${index + 1}`);
    // At least one word, then anywhere in this kill's part, up to a little before the end.
    const target = Math.floor(((index + Math.random()) / kills) * 0.8 * whole.length) + 1;
    const seen = await panel.waitForAnswer(
      `${target} characters of answer ${index + 1}`,
      (text) => text.startsWith(`k${index + 1}-`) && text.length >= target,
    );
    const pid = await vscode().extensionHostPid();
    const gone = vscode().killExtensionHost();
    const rendered = await longestRendered(
      panel,
      seen,
      gone.then(() => new Promise((resolve) => setTimeout(resolve, 100))),
    );
    await gone;
    hostIsGone.open();
    await vscode().waitForNewExtensionHost(pid);
    // VS Code restarts a killed host by itself only twice in five minutes; a reload resets the count.
    if (index % 2 === 1) await panel.workbench.reload();
    panel = await ChatPanel.attach(panel.workbench);
    const inFile = () =>
      query(
        "SELECT m.content, t.state, t.stop_reason FROM messages m JOIN turns t ON t.uid = m.turn_uid WHERE m.role = 'assistant' AND m.active = 1 AND m.content LIKE ? ORDER BY m.position",
        `k${index + 1}-%`,
      );
    const redrawn = await panel
      .waitForSettledAnswer(`answer ${index + 1} to be drawn again`, (text) => text.startsWith(`k${index + 1}-`))
      .catch((error: unknown) => {
        throw new Error(
          `${String(error)}; rendered before were ${rendered.length} characters; state.db holds ${JSON.stringify(inFile())}`,
        );
      });
    const [row] = inFile();
    if (redrawn.state !== 'interrupted')
      throw new Error(
        `Answer ${index + 1}: ${drawn(redrawn)}; rendered before were ${rendered.length} characters; state.db holds ${JSON.stringify(row)}`,
      );
    results.push({
      rendered,
      whole,
      stored: String(row?.['content'] ?? ''),
      redrawn: redrawn.text,
      stopReason: String(row?.['stop_reason'] ?? ''),
    });
  }
  const rows = query('SELECT role FROM messages WHERE active = 1 ORDER BY position');
  console.log(
    results
      .map(
        ({ rendered, stored, whole }, index) =>
          `kill ${index + 1}: rendered ${rendered.length}, stored ${stored.length} of ${whole.length}`,
      )
      .join('\n'),
  );
  expect({
    lost: results
      .filter(({ rendered, stored }) => !stored.startsWith(rendered))
      .map(({ rendered, stored }) => ({ rendered, stored })),
    notAPrefix: results.filter(({ stored, whole }) => !whole.startsWith(stored.trimEnd())).length,
    redrawnOtherwise: results.filter(({ stored, redrawn }) => stored.trim() !== redrawn.trim()).length,
    inTheMiddle: results.filter(({ rendered, whole }) => rendered.length > 0 && rendered.length < whole.length).length,
    rows: {
      user: rows.filter(({ role }) => role === 'user').length,
      assistant: rows.filter(({ role }) => role === 'assistant').length,
    },
    stopReasons: [...new Set(results.map(({ stopReason }) => stopReason))],
    refused: server.requests.filter((request) => request.rejection !== null).length,
  }).toEqual({
    lost: [],
    notAPrefix: 0,
    redrawnOtherwise: 0,
    inTheMiddle: kills,
    rows: { user: kills, assistant: kills },
    stopReasons: ['crash'],
    refused: 0,
  });
});
