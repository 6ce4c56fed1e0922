import * as v from 'valibot';

const processIdentitySchema = v.object({
  pid: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** Start time of the process, in the format of its system. Together with the pid it identifies one process for
   *  ever. Null when it cannot be determined. */
  startedAt: v.nullable(v.string()),
  /** Changes with every boot of the machine. */
  boot: v.nullable(v.string()),
  /** Processes see each other's pids only within one namespace (a container has its own). */
  pidNamespace: v.nullable(v.string()),
  machine: v.nullable(v.string()),
  host: v.string(),
});

const lockRecordSchema = v.object({
  version: v.literal(1),
  owner: processIdentitySchema,
  /** Address at which to ask the owner for the store. */
  endpoint: v.nullable(v.object({ socketPath: v.string(), token: v.string() })),
  /** Rewritten with every heartbeat. Only the file's modification time counts, which the disk's own clock stamps. */
  heartbeat: v.number(),
});

export type ProcessIdentity = v.InferOutput<typeof processIdentitySchema>;
export type LockRecord = v.InferOutput<typeof lockRecordSchema>;
export type LockEndpoint = NonNullable<LockRecord['endpoint']>;

export function encodeLockRecord(record: LockRecord): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(record)}\n`);
}

/** Undefined for a file that is not a complete lock record, for example one that is still being written. */
export function decodeLockRecord(bytes: Uint8Array): LockRecord | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
  const result = v.safeParse(lockRecordSchema, parsed);
  return result.success ? result.output : undefined;
}
