import { join } from 'node:path';
import { systemClock } from '../../../../src/base/clock';
import { silentLog } from '../../../../src/base/log';
import { openStore } from '../../../../src/store/ownership/openStore';
import type { StoreConnection } from '../../../../src/store/ownership/storeConnection';
import { storeErrorData, type StoreErrorData } from '../../../../src/store/storeError';
import type { Message } from '../../../../src/transcript/message';
import { chunkOf, openingTurn, settlingTurn } from './turnBuilder';

/** What a test asks of a window that runs in a process of its own. */
export type WindowOrder =
  | { readonly order: 'open'; readonly storageFolder: string }
  | { readonly order: 'settled' | 'reclaim' | 'wait' | 'close' | 'verify' }
  | { readonly order: 'reach'; readonly kind: string }
  | { readonly order: 'turn'; readonly session: string; readonly turn: string; readonly text: string }
  | { readonly order: 'busy'; readonly title: string | null }
  /** Opens a turn and streams until the store refuses; every acknowledged chunk is reported with its number. */
  | { readonly order: 'stream'; readonly session: string; readonly turn: string }
  | { readonly order: 'read'; readonly session: string };
export type WindowReport =
  | { readonly report: 'done'; readonly id: number; readonly value: WindowAnswer }
  | { readonly report: 'failed'; readonly id: number; readonly error: StoreErrorData }
  | { readonly report: 'acknowledged'; readonly seq: number };
export interface WindowAnswer {
  readonly state: string;
  readonly detail: string | null;
  readonly messages: readonly Message[];
  readonly problems: readonly string[];
  readonly recovered: number;
}

/** The text of a streamed turn's n-th chunk: five characters that say which one it is. */
export const streamedText = (seq: number): string => `${String(seq).padStart(4, '0')} `;

let connection: StoreConnection | null = null;
let busy: { sessionTitle: string | null } | null = null;

process.on('message', (message: WindowOrder & { readonly id: number }) => {
  obey(message).then(
    (value) => process.send?.({ report: 'done', id: message.id, value } satisfies WindowReport),
    (error: unknown) =>
      process.send?.({ report: 'failed', id: message.id, error: storeErrorData(error) } satisfies WindowReport),
  );
});

async function obey(order: WindowOrder): Promise<WindowAnswer> {
  if (order.order === 'open') {
    await connection?.close();
    connection = openStore({
      storageFolder: order.storageFolder,
      workerEntry: join(__dirname, 'storeWorker.js'),
      clock: systemClock,
      log: silentLog,
    });
    connection.setTurnGuard({
      isBusy: () => busy,
      stopRunning: async () => void (busy = null),
      leaveWaiting: () => undefined,
    });
    await connection.open();
    return answer(connection);
  }
  const open = connection;
  if (!open) throw new Error('This window has opened nothing.');
  switch (order.order) {
    case 'settled':
      break;
    case 'reclaim':
      await open.reclaim();
      break;
    case 'wait':
      open.waitForOwner();
      break;
    case 'close':
      await open.close();
      break;
    case 'busy':
      busy = order.title === null ? null : { sessionTitle: order.title };
      break;
    case 'reach':
      await reached(open, order.kind);
      break;
    case 'turn':
      if (!(await open.store.getSession(order.session)))
        await open.store.createSession({ id: order.session, startedAt: 1 });
      await open.store.openTurn(openingTurn(order.session, order.turn));
      await open.store.appendChunks(chunkOf(order.session, order.turn, 1, 0, order.text));
      await open.store.settleTurn(settlingTurn(order.turn));
      break;
    case 'stream':
      await stream(open, order.session, order.turn);
      break;
    case 'read':
      return { ...answer(open), messages: await open.store.activeMessages(order.session) };
    case 'verify':
      return { ...answer(open), problems: await open.store.verifyIntegrity() };
  }
  return answer(open);
}

async function stream({ store }: StoreConnection, session: string, turn: string): Promise<void> {
  if (!(await store.getSession(session))) await store.createSession({ id: session, startedAt: 1 });
  await store.openTurn(openingTurn(session, turn));
  for (let seq = 1; ; seq++) {
    await store.appendChunks(chunkOf(session, turn, seq, (seq - 1) * 5, streamedText(seq)));
    process.send?.({ report: 'acknowledged', seq } satisfies WindowReport);
  }
}

function answer({ state }: StoreConnection): WindowAnswer {
  const report = state.kind === 'open' ? state.report : null;
  return {
    state: state.kind,
    detail:
      state.kind === 'failed'
        ? `${state.error.causeClass}: ${state.error.message}`
        : state.kind === 'waitingForOwner'
          ? state.sessionTitle
          : null,
    messages: [],
    problems: [],
    recovered: report?.recoveredTurns.length ?? 0,
  };
}

function reached(open: StoreConnection, kind: string): Promise<void> {
  return new Promise((resolve) => {
    if (open.state.kind === kind) return resolve();
    const listening = open.onDidChangeState((state) => {
      if (state.kind !== kind) return;
      listening.dispose();
      resolve();
    });
  });
}
