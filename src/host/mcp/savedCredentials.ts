import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Clock } from '../../base/clock';
import { pause } from '../../base/pause';
import { t } from '../../base/translate';
import { knownKeys } from '../../models/secrecy/secrecy';
import { NodeFileSystem } from '../../store/engine/nodeFileSystem';
import { acquireLock } from '../../store/lock/acquireLock';
import { SystemProcessTable } from '../../store/lock/processLookup';
import type { McpCredentials, McpCredentialStore } from '../../tools/mcp/mcpConnection';
import { isJsonObject, type JsonObject } from '../../transcript/json';
import type { Secrets } from '../models/providerKeys';

const objectSchema = v.custom<JsonObject>(isJsonObject);
const credentialsSchema = v.object({
  issuer: v.string(),
  client: objectSchema,
  tokens: v.nullable(objectSchema),
  expiresAt: v.nullable(v.number()),
});

/** Milliseconds between tries to take the lock, and in total: a refresh is one request. */
const lockAgainMs = 50;
const lockTotalMs = 60_000;

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
    const kept = v.safeParse(v.pipe(v.string(), v.parseJson(), credentialsSchema), text);
    if (!kept.success) return null;
    keepOutOfLogs(kept.output);
    return kept.output;
  }

  async write(server: string, credentials: McpCredentials | null): Promise<void> {
    if (credentials === null) return this.secrets.delete(secretName(server));
    keepOutOfLogs(credentials);
    await this.secrets.store(secretName(server), JSON.stringify(credentials));
  }

  async exclusively<T>(server: string, work: () => Promise<T>): Promise<T> {
    const folder = this.folder();
    const path = join(folder, `${createHash('sha256').update(server).digest('hex').slice(0, 16)}.lock`);
    const { fileSystem, processes, clock } = this;
    for (let waited = 0; ; waited += lockAgainMs) {
      const now = () => clock.now();
      const options = { fileSystem, folder, path, processes, endpoint: null, now, uniqueName: randomUUID };
      const attempt = acquireLock(options);
      if (attempt.kind === 'held') return work().finally(() => attempt.lock.release());
      if (waited >= lockTotalMs) throw new Error(t('Another window is signing in to this server. Try again.'));
      await pause(clock, lockAgainMs);
    }
  }
}

/** Name under which the credentials for a server are kept. */
export function secretName(server: string): string {
  return `mcp sign-in ${server}`;
}

function keepOutOfLogs({ client, tokens }: McpCredentials): void {
  for (const value of [client['client_secret'], tokens?.['access_token'], tokens?.['refresh_token']])
    if (typeof value === 'string') knownKeys.add(value);
}
