import { afterEach } from 'vitest';
import type { SubmitReceipt } from '../../src/gateway/gateway';
import { TranscriptBuilder } from './builders/messages';
import type { RecordingSurface } from './recordingSurface';
import { World, type WorldOptions } from './world';

/** A world per test, closed behind it. */
export function worldPerTest(): { readonly create: (options?: WorldOptions) => Promise<World> } {
  let open: World | null = null;
  afterEach(async () => {
    await open?.close();
    open = null;
  });
  return { create: async (options = {}) => (open = await World.create(options)) };
}

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

/** A surface on which this session was opened again. */
export async function resumed(world: World, sessionId: string): Promise<RecordingSurface> {
  const surface = world.surface();
  await world.gateway.switchSession(surface.id, { reason: 'resume', sessionId });
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
