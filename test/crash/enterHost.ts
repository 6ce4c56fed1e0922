import { Emitter } from '../../src/base/disposable';
import { silentLog as log } from '../../src/base/log';
import { ChatSurface } from '../../src/host/chat/chatSurface';
import type { ChatEditor } from '../../src/host/chat/chatHandlers';
import { StoreStatus } from '../../src/host/storage/storeStatus';
import { openStore } from '../../src/store/ownership/openStore';
import { answerText } from '../../src/transcript/message';
import { systemClock as clock } from '../../src/base/clock';
import { modelRow } from '../support/builders/viewMessages';
import { noCodeActions } from '../support/noCodeActions';
import { crashGateway } from './crashGateway';
import type { EnterHostOrder, StoredTexts } from './crashRecord';
import { noAttachments, noChangedFiles, noViewReports } from '../support/emptyHost';

/** The extension host of one chat view without an editor, to be killed: the host's end of the view, the real gateway, and the store behind its
 *  worker. The page is in the process that started it. */
function main(order: EnterHostOrder): void {
  const connection = openStore({ storageFolder: order.storage, workerEntry: order.workerEntry, clock, log });
  const gateway = crashGateway(connection, { ...order, protocol: 'openai', contextWindow: 1_000_000 });
  const { store } = connection;
  const nothing = async (): Promise<void> => undefined;
  const editor: ChatEditor = {
    openTranscript: nothing,
    pickSession: nothing,
    pickModel: nothing,
    openSettings: nothing,
    showLog: () => undefined,
    copy: nothing,
    openLink: nothing,
    code: noCodeActions,
    confirm: async () => true,
    runFeatureCommand: nothing,
    setUp: nothing,
    replaceKey: async () => false,
    runAction: nothing,
  };
  const surface = new ChatSurface('chat', {
    gateway,
    sessions: store,
    editor,
    files: noChangedFiles,
    attachments: noAttachments,
    reports: noViewReports,
    onChange: () => undefined,
    log,
    models: {
      stateOf: () => ({ chosen: modelRow(), problem: null }),
      choices: async () => ({ models: [], problems: [] }),
      setup: { searching: false, entries: [] },
      discover: async () => ({ searching: false, entries: [] }),
      onDidChange: new Emitter<void>().event,
    },
    store: new StoreStatus(connection),
    surroundings: () => ({
      restricted: false,
      folderName: 'sample',
      demoPrompts: [],
      localization: {},
      promptFiles: [],
    }),
  });
  const say = (message: object): void => void process.send?.(message);
  let fromView = new Emitter<unknown>();
  let page = 0;
  const texts = async (): Promise<StoredTexts> => {
    const sessions = await store.listSessions({ limit: 1000 });
    const keys = ['new', ...sessions.map(({ id }) => id)];
    const rows = await Promise.all(
      sessions.map(({ id }) => store.readTranscript({ sessionId: id, limit: 100_000, includeHidden: true })),
    );
    const queues = await Promise.all(sessions.map(({ id }) => store.queue(id)));
    return {
      prompts: rows.flatMap(({ messages }) =>
        messages.flatMap((row) => (row.role === 'user' ? [answerText(row.parts)] : [])),
      ),
      queued: queues.flatMap((queue) => queue.map(({ text }) => text)),
      drafts: await Promise.all(keys.map((key) => store.draft(key))),
    };
  };
  process.on('message', (message: { readonly page?: number; readonly data?: unknown; readonly look?: true }) => {
    if (message.look === true) void texts().then((stored) => say({ stored }));
    else if (message.data !== undefined) fromView.fire(message.data);
    else {
      const number = (page = message.page ?? page);
      fromView = new Emitter();
      surface.connect({
        postMessage: async (data) => (say({ page: number, data }), true),
        onDidReceiveMessage: fromView.event,
      });
      say({ connected: number });
    }
  });
  // Nobody is left who would kill it.
  process.on('disconnect', () => process.exit());
  say({ connected: 0 });
}

main(JSON.parse(process.argv[2] ?? '{}'));
