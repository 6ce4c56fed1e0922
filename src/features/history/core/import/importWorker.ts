import { join } from 'node:path';
import { systemClock } from '../../../../base/clock';
import type { MessagePort } from '../../../../base/threads/channel';
import { serveCalls, threadStart, type CallContext } from '../../../../base/threads/served';
import { openForeignDatabase } from '../../../../store/library/foreignDatabase';
import { reviveStoreError, storeErrors, type StoreErrorData } from '../../../../store/storeError';
import { StoreOverPorts } from '../../../../store/worker/storePort';
import type { ForeignSession } from '../sources/foreign';
import { nodeReadingDeps } from '../../../../store/library/nodeReading';
import { NodeHistoryFiles } from '../sources/reading/nodeHistoryFiles';
import { openedFile } from './openedFile';
import { HistoryImport } from './historyImport';
import type { SearchedPlaces, SessionFile } from './importing';

/** Entry of `dist/importWorker.js`: a thread around a `HistoryImport`. `sql-wasm.wasm` is beside the bundle. */
const { channel, data } = threadStart<{ readonly copies: string }>();

let loaded: ReturnType<typeof nodeReadingDeps> | undefined;
const readingDeps = (): ReturnType<typeof nodeReadingDeps> =>
  (loaded ??= nodeReadingDeps(join(__dirname, 'sql-wasm.wasm'), data.copies));

let post: (event: unknown) => void = () => undefined;
const store = new StoreOverPorts(() => post('needsStore'));
const sources = {
  files: new NodeHistoryFiles(),
  openForeign: async (path: string) => openForeignDatabase(await readingDeps(), path),
};
const importer = new HistoryImport({ ...sources, target: store.operations, now: systemClock.now });

const methods = {
  scan: ({ signal, onProgress }: CallContext, places: SearchedPlaces, files: readonly SessionFile[] | null) =>
    importer.scan(places, { signal, ...(files === null ? {} : { files }), onProgress }),
  openFile: async ({ signal, onProgress }: CallContext, path: string) =>
    openedFile({ ...(await readingDeps()), ...sources }, path, { signal, onProgress }),
  preview: (_call: CallContext, found: readonly ForeignSession[]) => importer.preview(found),
  run: ({ signal, onProgress }: CallContext, found: readonly ForeignSession[], includeForgotten: boolean) =>
    importer.run(found, { signal, includeForgotten, onProgress }),
  useStore: (_call: CallContext, port: MessagePort, readOnly: StoreErrorData | null) => store.use(port, readOnly),
  refuseStore: (_call: CallContext, error: StoreErrorData) => store.refuse(reviveStoreError(error)),
};
export type ImportMethods = typeof methods;

post = serveCalls(channel, storeErrors, methods);
