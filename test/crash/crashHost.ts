import { openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Surface } from '../../src/gateway/gateway';
import { crashGateway, openedStore } from './crashGateway';
import type { CrashHostOrder, Shown } from './crashRecord';

/** The product's process without an editor, to be killed: real gateway, agent and tools, the store behind its worker, a model over HTTP. It
 *  sends prompts until it dies (or as often as told) and writes down every character at the moment a surface would show it. */
async function main(order: CrashHostOrder): Promise<void> {
  const record = openSync(order.record, 'a');
  // Handed to the kernel in one call: what was shown is known even when the next instruction never comes.
  const write = (line: Shown): void => void writeSync(record, `${JSON.stringify(line)}\n`);
  const connection = await openedStore(order);
  process.stdout.write('open\n');

  const gateway = crashGateway(connection, order);
  let settled = 0;
  const surface: Surface = {
    id: 'panel',
    onTurnEvent: (sessionId, event) => {
      if (event.kind === 'delivered')
        for (const chunk of event.chunks) write({ kind: 'text', sessionId, turnUid: event.turnUid, ...pick(chunk) });
      if (event.kind === 'messageStored') write({ kind: 'row', uid: event.message.uid });
      if (event.kind !== 'turnSettled') return;
      settled++;
      write({ kind: 'settled', turnUid: event.turn.uid });
    },
    onSessionEvent: () => undefined,
    onSessionSwitched: () => undefined,
  };
  gateway.surfaces.attach(surface);
  if (order.sessionId !== null)
    await gateway.switching.switchSession('panel', { reason: 'resume', sessionId: order.sessionId });
  void gateway.queue.resume();
  const send = async (n: string): Promise<void> => {
    const uid = `${order.name}-${n}`;
    const receipt = await gateway.intake.submit('panel', {
      sessionId: gateway.surfaces.shownSession('panel'),
      uid,
      text: `Prompt ${uid}`,
    });
    write({ kind: 'prompt', uid, sessionId: receipt.sessionId });
  };
  for (let n = 0; n < order.prompts; n++) {
    const before = settled;
    await send(String(n));
    if (n % 3 === 1) await send(`${n}-queued`);
    while (settled === before || gateway.turns.running().length > 0) await sleep(1);
  }
  await gateway.shutdown();
  await connection.close();
}

function pick({
  messageUid,
  part,
  start,
  text,
}: {
  readonly messageUid: string;
  readonly part: number;
  readonly start: number;
  readonly text: string;
}) {
  return { uid: messageUid, part, start, text };
}

main(JSON.parse(process.argv[2] ?? '{}')).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
