import { parsedAs } from '../../../transcript/json';
import { randomUUID, createHash } from 'node:crypto';
import { hostname } from 'node:os';
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

/** The oldest are forgotten first. */
const mostHistories = 200;
const historiesKey = 'sync.histories';
const knownHistory = v.object({
  history: v.string(),
  name: v.string(),
  server: v.string(),
  isSealed: v.boolean(),
});
export type KnownHistory = v.InferOutput<typeof knownHistory>;

/** Remembers sync: the connection string in the editor's secret storage, for all folders on this machine; and
 *  in each store how it is synchronized. */
export class SyncMemory {
  /** `global`: of all windows on this machine. */
  constructor(
    private readonly secrets: Secrets,
    private readonly global: { get(key: string): unknown; update(key: string, value: unknown): Thenable<void> },
    private readonly store: Pick<SessionStore, 'getMeta' | 'setMeta'>,
  ) {}

  /** A history that this user synchronizes with this server; null for none. The editor keeps them on the user's own
   *  machine, together with the connection string, also for windows of containers and of machines that are reached over
   *  SSH. A new container with a clone of the same repository so has its sessions with one click, and nothing in the
   *  repository decides where from. */
  knownHistory(history: string, server: string): KnownHistory | null {
    return this.histories().find((known) => known.history === history && known.server === server) ?? null;
  }

  async rememberHistory({ history, name, server, isSealed }: KnownHistory): Promise<void> {
    const others = this.histories().filter((known) => known.history !== history || known.server !== server);
    await this.global.update(historiesKey, [...others, { history, name, server, isSealed }].slice(-mostHistories));
  }

  private histories(): readonly KnownHistory[] {
    const parsed = v.safeParse(v.array(knownHistory), this.global.get(historiesKey));
    return parsed.success ? parsed.output : [];
  }

  /** The connection string; null while none was entered. */
  async connection(): Promise<string | null> {
    const text = (await this.secrets.get(secretName)) ?? null;
    if (text !== null) this.known(parseConnectionString(text));
    return text;
  }

  async keepConnection(text: string): Promise<void> {
    this.known(parseConnectionString(text));
    await this.secrets.store(secretName, text.trim());
  }

  /** The key of an encrypted history; null when it is not on this machine. */
  async cipherKey(history: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const text = await this.secrets.get(sealSecret(history));
    return text === undefined ? null : new Uint8Array(Buffer.from(text, 'base64url'));
  }

  async keepCipherKey(history: string, key: Uint8Array): Promise<void> {
    await this.secrets.store(sealSecret(history), Buffer.from(key).toString('base64url'));
  }

  /** The description of the key, for a server that lost it; null when it is not known here. */
  async sealDescription(history: string): Promise<string | null> {
    return (await this.secrets.get(`${sealSecret(history)} description`)) ?? null;
  }

  async keepSealDescription(history: string, description: string): Promise<void> {
    await this.secrets.store(`${sealSecret(history)} description`, description);
  }

  /** Returns the choices for this store; null when it was never synchronized. */
  async choice(): Promise<SyncChoice | null> {
    return parsedAs(choiceSchema, await this.store.getMeta(metaKey));
  }

  /** Gives the store another id: a copy of it uses this one. */
  async renewOrigin(): Promise<void> {
    const choice = await this.choice();
    if (choice !== null) await this.keep({ ...choice, origin: randomUUID() });
  }

  /** Keeps the id of the store as long as it has one. */
  async choose(chosen: Pick<SyncChoice, 'isOn' | 'history' | 'name' | 'server' | 'isSealed'>): Promise<SyncChoice> {
    const known = await this.choice();
    return this.keep({ ...chosen, origin: known?.origin ?? randomUUID() });
  }

  get machine(): string {
    const named = this.global.get(machineKey);
    return typeof named === 'string' && named !== '' ? named : hostname();
  }

  async nameMachine(name: string): Promise<void> {
    await this.global.update(machineKey, name);
  }

  private async keep(choice: SyncChoice): Promise<SyncChoice> {
    await this.store.setMeta(metaKey, JSON.stringify(choice));
    return choice;
  }

  /** Masks the password in logs. */
  private known({ password }: DatabaseAddress): void {
    if (password !== '') knownKeys.add(password);
  }
}

function sealSecret(history: string): string {
  return `sync key ${history}`;
}

/** Names a database, apart from who uses it. */
export function serverOf({ host, port, database, user }: DatabaseAddress): string {
  return `${user}@${host}:${port}/${database}`;
}

/** Sessions that belong together on all machines. */
export interface History {
  /** Says on the server which history it is, and nothing of its name. */
  readonly key: string;
  /** For the user. */
  readonly name: string;
}

/** The history of all clones of a repository. `remote`: hash of its address. */
export function repositoryHistory(remote: string, name: string): History {
  return { key: `git:${remote}`, name };
}

/** A history that the user named. Case and outer spaces do not matter. */
export function namedHistory(name: string): History {
  const plain = name.normalize('NFC').trim();
  const hash = createHash('sha256').update(plain.toLowerCase()).digest('base64url');
  return { key: `name:${hash}`, name: plain };
}
