import type { Clock } from '../../../base/clock';
import { DisposableStore, type Disposable } from '../../../base/disposable';
import type { Log } from '../../../base/log';
import { joinSentences } from '../../../base/messageText';
import type { Translate } from '../../../base/translate';
import type { CreateHindsightApi, HindsightPlace } from '../core/hindsightApi';
import { HindsightProvider } from '../core/hindsightProvider';
import { hindsightName } from '../core/outboxEntries';
import type { HindsightConnection } from '../core/ports';
import { HindsightRetainer } from '../core/retainer';
import { SessionRecords } from '../core/sessionRecord';
import { storedTurns } from '../core/storedTurns';
import type { MemoryProviderFactory } from '../../../memory/memoryProviders';
import { parseEndpoint } from '../../../models/http/endpoint';
import { maskSecrets } from '../../../models/secrecy/secrecy';
import type { StoreNotice } from '../../../protocol/chatProtocol';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { ProviderKeys } from '../../../host/models/providerKeys';

/** Owner name under which keys of Hindsight servers are stored. No model provider can have this name. */
const keyOwner = 'memory/hindsight';

interface HindsightSettings {
  readonly memoryProvider: string;
  readonly hindsightUrl: string | null;
  readonly hindsightBank: string | null;
}

interface HindsightHostDeps {
  readonly store: SessionStore;
  readonly settings: () => HindsightSettings;
  readonly keys: ProviderKeys;
  readonly loadClient: () => CreateHindsightApi;
  readonly clock: Clock;
  readonly uid: () => string;
  readonly log: Log;
  readonly t: Translate;
  readonly setNotices: (notices: readonly StoreNotice[]) => void;
}

/** Hindsight in this window: its settings, its connection, and the outbox that all its providers share. */
export class HindsightHost implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly retainer: HindsightRetainer;
  private connected: { readonly key: string; readonly connection: HindsightConnection } | null = null;

  constructor(private readonly deps: HindsightHostDeps) {
    const { store, clock, log } = deps;
    this.retainer = this.lifetime.register(
      new HindsightRetainer({
        outbox: store,
        turns: storedTurns(store),
        records: new SessionRecords(store),
        clock,
        log,
        connect: () => this.connect(),
        scrub: maskSecrets,
      }),
    );
    this.lifetime.register(this.retainer.onDidChange(() => deps.setNotices(this.notices())));
  }

  get factory(): MemoryProviderFactory {
    const { clock, uid, log } = this.deps;
    return {
      name: hindsightName,
      kind: 'external',
      create: () =>
        new HindsightProvider({
          retainer: this.retainer,
          connect: () => this.connect(),
          isSetUp: () => this.place() !== null,
          clock,
          uid,
          log,
          scrub: maskSecrets,
        }),
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
    const create = this.deps.loadClient();
    const { clock } = this.deps;
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
    return this.deps.keys.get(keyOwner, origin);
  }

  keepKey(origin: string, key: string): Promise<void> {
    return this.deps.keys.set(keyOwner, origin, key);
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  /** Null until the user sets it up, and after they choose another memory. */
  private place(): HindsightPlace | null {
    const { memoryProvider, hindsightUrl, hindsightBank } = this.deps.settings();
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
    const { t } = this.deps;
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
