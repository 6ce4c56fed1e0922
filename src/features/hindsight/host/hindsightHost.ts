import { randomUUID } from 'node:crypto';
import { DisposableStore, type Disposable } from '../../../base/disposable';
import { joinSentences } from '../../../base/messageText';
import { t } from '../../../base/translate';
import type { CreateHindsightApi, HindsightPlace } from '../core/hindsightApi';
import { HindsightProvider } from '../core/hindsightProvider';
import { hindsightName } from '../core/outboxEntries';
import type { HindsightConnection } from '../core/ports';
import { HindsightRetainer } from '../core/retainer';
import { storedTurns } from '../core/storedTurns';
import type { MemoryProviderFactory } from '../../../memory/memoryProviders';
import { parseEndpoint } from '../../../models/http/endpoint';
import { maskSecrets } from '../../../models/secrecy/secrecy';
import type { StoreNotice } from '../../../protocol/chatProtocol';
import { lazyBundle } from '../../../host/common/lazyBundle';
import type { WindowContext } from '../../../host/window/windowContext';
import type * as client from '../core/client/index';

/** Owner name under which keys of Hindsight servers are stored. No model provider can have this name. */
const keyOwner = 'memory/hindsight';

type HindsightWindow = Pick<WindowContext, 'history' | 'settings' | 'keys' | 'distFolder' | 'clock' | 'log'>;

/** Hindsight in this window: its settings, its connection, and the outbox that all its providers share. */
export class HindsightHost implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly retainer: HindsightRetainer;
  private readonly loadClient: () => CreateHindsightApi;
  private connected: { readonly key: string; readonly connection: HindsightConnection } | null = null;

  constructor(private readonly window: HindsightWindow) {
    const { distFolder, history, clock, log } = window;
    const { store, status } = history;
    this.loadClient = lazyBundle<typeof client, 'createHindsightApi'>(
      distFolder,
      { file: 'hindsight.js', name: 'Hindsight' },
      'createHindsightApi',
    );
    this.retainer = this.lifetime.register(
      new HindsightRetainer({
        store,
        turns: storedTurns(store),
        connect: () => this.connect(),
        clock,
        log,
        scrub: maskSecrets,
      }),
    );
    this.lifetime.register(this.retainer.onDidChange(() => status.setNotices('memory', this.notices())));
  }

  get factory(): MemoryProviderFactory {
    return {
      name: hindsightName,
      kind: 'external',
      create: () => new HindsightProvider(this.retainer, () => this.place() !== null, randomUUID),
    };
  }

  /** Called when the store is open: sends the entries that an earlier window left unsent. */
  start(): void {
    if (this.place() !== null) this.retainer.start();
  }

  /** Called when settings or keys have changed. */
  changed(): void {
    this.connected = null;
    if (this.place() !== null) this.retainer.resume();
  }

  connectionTo(place: HindsightPlace, key: string | null): HindsightConnection {
    const create = this.loadClient();
    const { clock } = this.window;
    return {
      place,
      api: create({
        place,
        key,
        fetch: (...request) => globalThis.fetch(...request),
        after: (ms, callback) => clock.after(ms, callback),
      }),
    };
  }

  keyOf(origin: string): Promise<string | undefined> {
    return this.window.keys.get(keyOwner, origin);
  }

  keepKey(origin: string, key: string): Promise<void> {
    return this.window.keys.set(keyOwner, origin, key);
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  /** Null until the user sets it up, and after they choose another memory. */
  private place(): HindsightPlace | null {
    const { memoryProvider, hindsightUrl, hindsightBank } = this.window.settings.current;
    if (memoryProvider !== hindsightName || hindsightUrl === null || hindsightBank === null) return null;
    return hindsightPlace(hindsightUrl, hindsightBank);
  }

  private async connect(): Promise<HindsightConnection | null> {
    const place = this.place();
    if (place === null) return null;
    const key = `${place.baseUrl} ${place.bank}`;
    if (this.connected?.key !== key)
      this.connected = { key, connection: this.connectionTo(place, (await this.keyOf(place.origin)) ?? null) };
    return this.connected.connection;
  }

  private notices(): readonly StoreNotice[] {
    const { pending, failure } = this.retainer.status;
    if (failure === null) return [];
    const waiting =
      pending === 1
        ? t('1 entry is waiting to be saved to memory.')
        : t('{count} entries are waiting to be saved to memory.', { count: String(pending) });
    return [
      { sentence: joinSentences([failure, waiting]), actions: [{ action: 'setUpMemory', label: t('Set Up Memory…') }] },
    ];
  }
}

/** Null when `url` is not a web address. */
export function hindsightPlace(url: string, bank: string): HindsightPlace | null {
  const endpoint = parseEndpoint(url);
  return endpoint === null || bank === ''
    ? null
    : { baseUrl: endpoint.baseUrl, origin: endpoint.origin, host: endpoint.destination, bank };
}
