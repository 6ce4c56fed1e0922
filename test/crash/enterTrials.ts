import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reply, startModelServer } from '../support/modelServer';
import { buildStoreWorker } from '../support/storeWorker';
import { EnterHost, EnterPage, pause } from './enterPage';
import { seededRandom } from '../support/seededRandom';
import { Drafts } from '../../src/webview/chat/drafts/drafts';
import { SessionSwitchController } from '../../src/webview/chat/session/sessionSwitchController';
import { TypedInput } from '../../src/webview/chat/composer/typedInput';

/** Milliseconds around Enter that the trials sweep. */
const sweepMs = 400;
/** Half of the trials end within these: a prompt is stored by then. */
const busiestMs = 30;

export interface EnterTrialResult {
  trials: number;
  kills: number;
  reloads: number;
  /** Kills with which what the page remembered was gone too. */
  forgotten: number;
  /** Texts that were typed. */
  texts: number;
  /** Of these, where they were found: as a prompt, in the queue, in the composer. */
  stored: number;
  queued: number;
  inComposer: number;
  /** Found nowhere, and found more than once. */
  lost: number;
  doubled: number;
  /** Texts that stand in the store's drafts although the composer does not hold them, or the other way round. */
  otherDrafts: number;
  /** What was found wrong, in words. */
  found: string[];
}

/** Kills the host of a chat, or reloads its page, at a moment around Enter, again and again on the same store, and looks for what was typed: each
 *  text must be found once, as a prompt, in the queue or in the composer. */
export async function runEnterTrials(
  trials: number,
  seed: number,
  say: (line: string) => void = () => undefined,
): Promise<EnterTrialResult> {
  const random = seededRandom(seed);
  const built = await buildStoreWorker({ enterHost: 'test/crash/enterHost.ts' });
  const home = mkdtempSync(join(tmpdir(), 'hermes-enter-'));
  const [storage, project] = [join(home, 'storage'), join(home, 'project')];
  for (const folder of [storage, project]) mkdirSync(folder);
  const server = await startModelServer();
  server.otherwise(() => reply().says('It is done. ', { every: 4 }).says('Really.'));
  const result: EnterTrialResult = {
    trials: 0,
    kills: 0,
    reloads: 0,
    forgotten: 0,
    texts: 0,
    stored: 0,
    queued: 0,
    inComposer: 0,
    lost: 0,
    doubled: 0,
    otherDrafts: 0,
    found: [],
  };
  let uids = 0;
  const newUid = (): string => `page${++uids}`;
  const start = (): EnterHost =>
    new EnterHost(join(built.folder, 'enterHost.js'), { storage, project, workerEntry: built.entry, url: server.url });
  let host = start();
  let page = await EnterPage.load(host, null, newUid);
  try {
    for (let trial = 0; trial < trials; trial++) {
      if (trial % 8 === 7) await page.chat.part(SessionSwitchController).to({ reason: 'new_session' });
      page.chat.part(Drafts).edit('');
      await page.quiet();
      // A turn is under way in some: then the prompt goes to the queue.
      if (random() < 0.4) {
        server.script(
          reply()
            .says('One moment. ', { every: 40 })
            .says('And another one, which takes its time, word for word.', { every: 40 }),
        );
        page.type(`before ${trial}`);
        await page.chat.part(TypedInput).submit();
      }
      const isKill = random() < 0.75;
      // With the page's memory gone, what was typed must have been on disk before.
      const isForgotten = isKill && random() < 0.3;
      const texts = [`<${trial}a>`, `<${trial}b>`, `<${trial}c>`];
      const [first = '', second = '', rest = ''] = texts;
      const typed = [first];
      page.type(`Ask ${first}`);
      if (isForgotten) await page.quiet();
      else await pause(random() < 0.5 ? 0 : random() * 20);
      const offset = trial % 2 === 0 ? (trial / trials) * sweepMs : random() * busiestMs;
      const end = pause(offset);
      void page.chat.part(TypedInput).submit();
      const behind = isForgotten ? 0 : random();
      if (behind > 0.4) {
        if (behind > 0.6) await Promise.race([end, pause(random() * 5)]);
        page.type(`and ${second}`);
        typed.push(second);
        void page.chat.part(TypedInput).submit();
      }
      if (behind > 0.7) {
        page.type(`then ${rest}`);
        typed.push(rest);
      }
      await end;
      if (isKill) {
        await host.kill();
        host = start();
      }
      const memory = page.unload(!isKill && random() < 0.5);
      page = await EnterPage.load(host, isForgotten ? null : memory, newUid);
      result.trials++;
      result[isKill ? 'kills' : 'reloads']++;
      if (isForgotten) result.forgotten++;
      await examine(
        host,
        page,
        typed,
        `${isKill ? 'kill' : 'reload'} ${offset.toFixed(1)} ms behind Enter${isForgotten ? ', nothing remembered' : ''}`,
        result,
      );
      if (result.trials % 50 === 0)
        say(`${result.trials} around Enter: ${result.lost} texts lost, ${result.doubled} doubled`);
    }
    return result;
  } finally {
    page.unload(false);
    await host.kill();
    await server.close();
    built.remove();
    rmSync(home, { recursive: true, force: true });
  }
}

async function examine(
  host: EnterHost,
  page: EnterPage,
  typed: readonly string[],
  when: string,
  result: EnterTrialResult,
): Promise<void> {
  const { prompts, queued, drafts } = await host.stored();
  const { composer } = page;
  for (const text of typed) {
    const count = (among: readonly string[]): number =>
      among.reduce((sum, each) => sum + each.split(text).length - 1, 0);
    const places = { stored: count(prompts), queued: count(queued), inComposer: count([composer]) };
    const total = places.stored + places.queued + places.inComposer;
    result.texts++;
    for (const place of ['stored', 'queued', 'inComposer'] as const) result[place] += places[place];
    if (total === 0) result.lost++;
    if (total > 1) result.doubled++;
    if (count(drafts) !== places.inComposer) result.otherDrafts++;
    if (total !== 1 || count(drafts) !== places.inComposer)
      result.found.push(
        `${when}: ${text} of ${typed.length} is ${JSON.stringify({ ...places, drafts: drafts.filter((draft) => draft !== ''), composer })}`,
      );
  }
}
