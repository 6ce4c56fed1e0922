import { afterEach } from 'vitest';
import type { SubmitReceipt } from '../../src/gateway/gateway';
import { RecordingSurface } from './recordingSurface';
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
  return turn === undefined ? 'not settled' : `${turn.outcome} ${turn.stopReason}${turn.failure === null ? '' : ` ${turn.failure.cause}`}`;
}

/** A surface on which this session was opened again. */
export async function resumed(world: World, sessionId: string): Promise<RecordingSurface> {
  const surface = world.surface();
  await world.gateway.switchSession(surface.id, { reason: 'resume', sessionId });
  return surface;
}

/** Sends a prompt and waits until the answer so far reads `text`. */
export async function askUntil(world: World, surface: RecordingSurface, prompt: string, text: string): Promise<SubmitReceipt> {
  const before = surface.deliveredText;
  const receipt = await world.send(surface, prompt);
  await surface.until(({ deliveredText }) => deliveredText === before + text);
  return receipt;
}

/** Everything request number `index` said to the model, line by line, without the system prompt. */
export function sent(world: World, index: number): readonly string[] {
  return world.server.requests.at(index)?.outline.filter((line) => !line.startsWith('system:')) ?? [];
}
