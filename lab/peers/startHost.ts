import { crashGateway, openedStore } from '../../test/crash/crashGateway';
import { Conversation } from '../support/conversation';

interface StartOrder {
  readonly storage: string;
  readonly project: string;
  readonly workerEntry: string;
}

/** The product's process without an editor, with a panel that waits for a prompt. */
async function main({ project, ...order }: StartOrder): Promise<void> {
  const model = { url: 'http://127.0.0.1:9/v1', protocol: 'openai', contextWindow: 100_000 } as const;
  new Conversation(crashGateway(await openedStore(order), { project, ...model }));
  process.stdout.write('ready\n');
  setInterval(() => undefined, 60_000);
}

main(JSON.parse(process.argv[2] ?? '{}')).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
