import { afterEach } from 'vitest';
import { type Clock, systemClock } from '../../src/base/clock';
import type { SubmitReceipt } from '../../src/gateway/gateway';
import { retriesOfACall, retryPauseMs } from '../../src/store/ownership/storeCalls';
import { type Account, account } from './account';
import { TranscriptBuilder } from './builders/messages';
import { reply, type Responder } from './modelServer';
import type { RecordingSurface } from './recordingSurface';
import { full, World, type WorldOptions } from './world';

/** A world per test, closed behind it. */
export function worldPerTest(): { readonly create: (options?: WorldOptions) => Promise<World> } {
  let open: World | null = null;
  afterEach(async () => {
    await open?.close();
    open = null;
  });
  return { create: async (options = {}) => (open = await World.create(options)) };
}

/** The system's clock, but the gateway tries again at once to close a turn. */
export const withoutRetryPause: Clock = {
  ...systemClock,
  after: (delayMs, callback) => systemClock.after(delayMs === retryPauseMs(retriesOfACall) ? 1 : delayMs, callback),
};

/** A promise the test keeps when it likes. */
export function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** How the last turn this surface saw ended: `complete stop`, `failed storeFailed full`. */
export function ended(surface: RecordingSurface): string {
  const turn = surface.settled.at(-1)?.turn;
  return turn === undefined
    ? 'not settled'
    : `${turn.outcome} ${turn.stopReason}${turn.failure === null ? '' : ` ${turn.failure.cause}`}`;
}

/** What comes of one prompt to a model that answers as scripted: how its turn ended, after how many requests, and the account. */
export async function outcomeOf(
  world: World,
  prompt: string,
  ...script: readonly Responder[]
): Promise<Account & { readonly ended: string; readonly requests: number }> {
  world.server.script(...script);
  const panel = world.surface();
  const { sessionId } = await world.ask(panel, prompt);
  return {
    ended: ended(panel),
    requests: world.server.requests.length,
    ...(await account(world, panel, sessionId)),
  };
}

/** The sentence with which something is refused. */
export const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'not refused',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

/** An answer of about 8,000 characters, of which two are enough to be summarized. */
export const long = (topic: string | number): string =>
  `${topic}: ${'the parser reads tokens and builds a tree of nodes. '.repeat(150)}`;

/** What a memory provider heard, sessions called by the names given. */
export function heard(world: World, names: { readonly [name: string]: string }): readonly string[] {
  return world.memoryLog.map((line) =>
    Object.entries(names).reduce((text, [name, id]) => text.replaceAll(id, name), line),
  );
}

/** A surface on which this session was opened again. */
export async function resumed(world: World, sessionId: string): Promise<RecordingSurface> {
  const surface = world.surface();
  await world.gateway.switching.switchSession(surface.id, { reason: 'resume', sessionId });
  return surface;
}

/** Sends a prompt and waits until the answer so far reads `text`. */
export async function askUntil(
  world: World,
  surface: RecordingSurface,
  prompt: string,
  text: string,
): Promise<SubmitReceipt> {
  const before = surface.deliveredText;
  const receipt = await world.send(surface, prompt);
  await surface.until(({ deliveredText }) => deliveredText === before + text);
  return receipt;
}

export interface Talk {
  readonly panel: RecordingSurface;
  readonly sessionId: string;
  readonly turnUids: readonly string[];
}

/** A session of so many prompts, q1, q2 …, and their answers, a1, a2 …. */
export async function talked(
  world: World,
  turns = 1,
  answer = (number: number): string => `a${number}`,
): Promise<Talk> {
  const panel = world.surface();
  const turnUids: string[] = [];
  let sessionId = '';
  for (let number = 1; number <= turns; number++) {
    world.server.script(reply().says(answer(number), { in: 4000 }));
    const receipt = await world.ask(panel, `q${number}`);
    ({ sessionId } = receipt);
    if (receipt.kind === 'started') turnUids.push(receipt.turnUid);
  }
  return { panel, sessionId, turnUids };
}

/** A session whose answer “Hello ” to “Hi” was shown, is gone from the store, and could not be written again with its turn. The disk is well again. */
export async function owing(world: World): Promise<{ readonly panel: RecordingSurface; readonly sessionId: string }> {
  const held = gate();
  world.server.script(reply().says('Hello ').waitsFor(held.opened).says('world'));
  const panel = world.surface();
  const { sessionId } = await askUntil(world, panel, 'Hi', 'Hello ');
  const mend = world.breakStore(() => full);
  held.open();
  await panel.untilSettled(1);
  world.damageStore('DELETE FROM stream_chunks');
  world.damageStore("DELETE FROM messages WHERE role = 'assistant'");
  mend();
  const mendAgain = world.failing(['putMessages']);
  await panel.untilSettled(2);
  await world.idle();
  mendAgain();
  return { panel, sessionId };
}

/** Everything request number `index` said to the model, line by line, without the system prompt. */
export function sent(world: World, index: number): readonly string[] {
  return world.server.requests.at(index)?.outline.filter((line) => !line.startsWith('system:')) ?? [];
}

/** A surface that shows a session whose stored history is what `build` says, as an import or another program may have left it. */
export async function seeded(
  world: World,
  build: (history: TranscriptBuilder) => unknown,
): Promise<{ readonly panel: RecordingSurface; readonly sessionId: string }> {
  const sessionId = '20260101_000000_5eeded';
  const history = new TranscriptBuilder().turn(null);
  build(history);
  await world.store.createSession({ id: sessionId, startedAt: 1, model: 'Local/test-model' });
  await world.store.putMessages(history.messages.map((row) => ({ ...row, sessionId })));
  return { panel: await resumed(world, sessionId), sessionId };
}

/** How often the product had to repair a stored history. */
export function repairs(world: World): number {
  return world.logLines.filter((line) => line.includes('was repaired before it was sent')).length;
}
