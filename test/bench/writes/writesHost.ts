import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Surface } from '../../../src/gateway/gateway';
import { crashGateway, openedStore } from '../../crash/crashGateway';
import { markFolder, type WritesOrder } from './writesTrace';

/** The product's process without an editor, to be traced: it sends prompts, and marks in the trace where each turn begins
 *  and where the store is at rest again. */
async function main(order: WritesOrder): Promise<void> {
  const connection = await openedStore(order);
  const gateway = crashGateway(connection, { ...order, protocol: 'openai', contextWindow: 1_000_000 });
  let settled = 0;
  let shown = 0;
  const surface: Surface = {
    id: 'panel',
    onTurnEvent: (_, event) => {
      if (event.kind === 'delivered') for (const { text } of event.chunks) shown += text.length;
      if (event.kind === 'turnSettled') settled++;
    },
    onSessionEvent: () => undefined,
    onSessionSwitched: () => undefined,
  };
  gateway.attach(surface);
  for (const [index, pauseMs] of order.pausesMs.entries()) {
    const before = settled;
    const shownBefore = shown;
    mark(`begin-${index}`);
    await gateway.submit('panel', {
      sessionId: gateway.shownSession('panel'),
      uid: `prompt-${index}`,
      text: `Prompt ${index}`,
    });
    while (settled === before || gateway.runningTurns().length > 0) await sleep(1);
    mark(`settled-${index}-${shown - shownBefore}`);
    await sleep(pauseMs);
    mark(`rest-${index}`);
  }
  await gateway.shutdown();
  await connection.close();
  mark('closed');
}

/** A system call that a trace shows and that does nothing. */
function mark(name: string): void {
  existsSync(join(markFolder, name));
}

main(JSON.parse(process.argv[2] ?? '{}')).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
