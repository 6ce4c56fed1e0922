import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Clock } from '../../../base/clock';
import { pause } from '../../../base/pause';
import { t } from '../../../base/translate';
import { knownKeys } from '../../../models/secrecy/secrecy';
import { NodeFileSystem } from '../../../store/engine/nodeFileSystem';
import { acquireLock } from '../../../store/lock/acquireLock';
import { SystemProcessTable } from '../../../store/lock/processLookup';
import type { McpCredentials, McpCredentialStore } from '../core/mcpConnection';
import { type JsonObject, isJsonObject, parsedAs } from '../../../transcript/json';
import type { Secrets } from '../../../host/models/providerKeys';

const objectSchema = v.custom<JsonObject>(isJsonObject);
const credentialsSchema = v.object({
  issuer: v.string(),
  client: objectSchema,
  tokens: v.nullable(objectSchema),
  expiresAt: v.nullable(v.number()),
  metadata: v.optional(v.nullable(v.string()), null),
});

/** Milliseconds between tries to take the lock, and in total: a refresh is one request. */
const lockAgainMs = 50;
const lockTotalMs = 60_000;
/** Milliseconds to wait for what another window has stored: the storage shows it late. */
const lateMs = 5000;

/** Credentials in the editor's secret storage, which its windows share. */
export class SavedCredentials implements McpCredentialStore {
  private readonly fileSystem = new NodeFileSystem();
  private readonly processes = new SystemProcessTable();

  constructor(
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    /** Folder that all windows share, for their locks. */
    private readonly folder: () => string,
  ) {}

  async read(server: string): Promise<McpCredentials | null> {
    const text = await this.secrets.get(secretName(server));
    const kept = parsedAs(credentialsSchema, text);
    if (kept === null) return null;
    keepOutOfLogs(kept);
    return kept;
  }

  async write(server: string, credentials: McpCredentials | null): Promise<void> {
    await this.setNewest(server, credentials);
    if (credentials === null) return this.secrets.delete(secretName(server));
    keepOutOfLogs(credentials);
    await this.secrets.store(secretName(server), JSON.stringify(credentials));
  }

  async exclusively<T>(server: string, work: () => Promise<T>): Promise<T> {
    const folder = this.folder();
    const path = this.path(server, 'lock');
    const { fileSystem, processes, clock } = this;
    for (let waited = 0; ; waited += lockAgainMs) {
      const attempt = acquireLock({ fileSystem, folder, path, processes, now: () => clock.now() });
      if (attempt.kind === 'held')
        return this.newest(server)
          .then(work)
          .finally(() => attempt.lock.release());
      if (waited >= lockTotalMs) throw new Error(t('Another window is signing in to this server. Try again.'));
      await pause(clock, lockAgainMs);
    }
  }

  /** Waits until this window sees what was stored last, by whichever window: the file beside the lock names it. */
  private async newest(server: string): Promise<void> {
    for (let waited = 0; ; waited += lockAgainMs) {
      const expected = await readFile(this.path(server, 'newest'), 'utf8').catch(() => null);
      const kept = await this.read(server);
      if (expected === null || expected === markOf(kept)) return;
      // Stored on another machine, or not at all: the next time does not wait for it.
      if (waited >= lateMs) return this.setNewest(server, kept);
      await pause(this.clock, lockAgainMs);
    }
  }

  private async setNewest(server: string, credentials: McpCredentials | null): Promise<void> {
    await mkdir(this.folder(), { recursive: true });
    await writeFile(this.path(server, 'newest'), markOf(credentials));
  }

  private path(server: string, kind: 'lock' | 'newest'): string {
    return join(this.folder(), `${digest(server)}.${kind}`);
  }
}

/** Names a state of the credentials without showing them. */
function markOf(credentials: McpCredentials | null): string {
  return digest(JSON.stringify([credentials?.issuer, credentials?.tokens]));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Name under which the credentials for a server are kept. */
export function secretName(server: string): string {
  return `mcp sign-in ${server}`;
}

function keepOutOfLogs({ client, tokens }: McpCredentials): void {
  for (const value of [client['client_secret'], tokens?.['access_token'], tokens?.['refresh_token']])
    if (typeof value === 'string') knownKeys.add(value);
}
