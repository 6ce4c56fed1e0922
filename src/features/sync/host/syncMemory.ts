import * as v from 'valibot';
import { knownKeys } from '../../../models/secrecy/secrecy';
import type { SessionStore } from '../../../store/session/sessionStore';
import { parseConnectionString, type DatabaseAddress } from '../core/postgres/connectionString';
import type { Secrets } from '../../../host/models/providerKeys';

const secretName = 'sync connection';
const metaKey = 'sync';
const machineKey = 'sync.machine';

/** Choices of the user for one store, kept in it. */
const choiceSchema = v.object({
  isOn: v.boolean(),
  /** Says on the server which stores belong together. */
  history: v.string(),
  /** Its name, for the user. */
  name: v.string(),
  /** Id of this store on the server. */
  origin: v.string(),
  /** Names the database: another one has other versions. */
  server: v.string(),
  /** True when the server holds only encrypted text. */
  isSealed: v.optional(v.boolean(), false),
});
export type SyncChoice = v.InferOutput<typeof choiceSchema>;

interface SyncMemoryDeps {
  readonly secrets: Secrets;
  /** Of all windows on this machine. */
  readonly global: { get(key: string): unknown; update(key: string, value: unknown): Thenable<void> };
  readonly store: Pick<SessionStore, 'getMeta' | 'setMeta'>;
  readonly hostName: string;
  readonly newId: () => string;
}

/** Remembers sync: the connection string in the editor's secret storage, for all folders on this machine; and
 *  in each store how it is synchronized. */
export class SyncMemory {
  constructor(private readonly deps: SyncMemoryDeps) {}

  /** The connection string; null while none was entered. */
  async connection(): Promise<string | null> {
    const text = (await this.deps.secrets.get(secretName)) ?? null;
    if (text !== null) this.known(parseConnectionString(text));
    return text;
  }

  async keepConnection(text: string): Promise<void> {
    this.known(parseConnectionString(text));
    await this.deps.secrets.store(secretName, text.trim());
  }

  async forgetConnection(): Promise<void> {
    await this.deps.secrets.delete(secretName);
  }

  /** The key of an encrypted history; null when it is not on this machine. */
  async cipherKey(history: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const text = await this.deps.secrets.get(sealSecret(history));
    return text === undefined ? null : new Uint8Array(Buffer.from(text, 'base64url'));
  }

  async keepCipherKey(history: string, key: Uint8Array): Promise<void> {
    await this.deps.secrets.store(sealSecret(history), Buffer.from(key).toString('base64url'));
  }

  /** The description of the key, for a server that lost it; null when it is not known here. */
  async sealDescription(history: string): Promise<string | null> {
    return (await this.deps.secrets.get(`${sealSecret(history)} description`)) ?? null;
  }

  async keepSealDescription(history: string, description: string): Promise<void> {
    await this.deps.secrets.store(`${sealSecret(history)} description`, description);
  }

  /** Returns the choices for this store; null when it was never synchronized. */
  async choice(): Promise<SyncChoice | null> {
    const text = await this.deps.store.getMeta(metaKey);
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), choiceSchema), text);
    return parsed.success ? parsed.output : null;
  }

  /** Gives the store another id: a copy of it uses this one. */
  async renewOrigin(): Promise<void> {
    const choice = await this.choice();
    if (choice !== null) await this.keep({ ...choice, origin: this.deps.newId() });
  }

  /** Keeps the id of the store as long as it has one. */
  async choose(chosen: Pick<SyncChoice, 'isOn' | 'history' | 'name' | 'server' | 'isSealed'>): Promise<SyncChoice> {
    const known = await this.choice();
    return this.keep({ ...chosen, origin: known?.origin ?? this.deps.newId() });
  }

  get machine(): string {
    const named = this.deps.global.get(machineKey);
    return typeof named === 'string' && named !== '' ? named : this.deps.hostName;
  }

  async nameMachine(name: string): Promise<void> {
    await this.deps.global.update(machineKey, name);
  }

  private async keep(choice: SyncChoice): Promise<SyncChoice> {
    await this.deps.store.setMeta(metaKey, JSON.stringify(choice));
    return choice;
  }

  /** Masks the password in logs. */
  private known(address: DatabaseAddress): DatabaseAddress {
    if (address.password !== '') knownKeys.add(address.password);
    return address;
  }
}

function sealSecret(history: string): string {
  return `sync key ${history}`;
}

/** Names a database, apart from who uses it. */
export function serverOf({ host, port, database, user }: DatabaseAddress): string {
  return `${user}@${host}:${port}/${database}`;
}
