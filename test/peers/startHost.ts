import { crashGateway, openedStore } from '../crash/crashGateway';
import type { CrashHostOrder } from '../crash/crashRecord';

/** The product's process without an editor, with a panel that waits for a prompt. */
async function main(order: CrashHostOrder): Promise<void> {
  const gateway = crashGateway(await openedStore(order), order);
  gateway.attach({
    id: 'panel',
    onTurnEvent: () => undefined,
    onSessionEvent: () => undefined,
    onSessionSwitched: () => undefined,
  });
  process.stdout.write('ready\n');
  setInterval(() => undefined, 60_000);
}

main(JSON.parse(process.argv[2] ?? '{}')).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
