import * as v from 'valibot';

const processIdentitySchema = v.object({
  pid: v.pipe(v.number(), v.integer(), v.minValue(1)),
  /** When the process began, in whatever form its system tells it; with the pid it names one process for ever. Null where it cannot be told. */
  startedAt: v.nullable(v.string()),
  /** Changes with every start of the machine. */
  boot: v.nullable(v.string()),
  /** Processes see each other's pids only inside one namespace (a container has its own). */
  pidNamespace: v.nullable(v.string()),
  machine: v.nullable(v.string()),
  host: v.string(),
});

const lockRecordSchema = v.object({
  version: v.literal(1),
  owner: processIdentitySchema,
  /** How the owner is asked to hand over. */
  endpoint: v.nullable(v.object({ socketPath: v.string(), token: v.string() })),
  /** Rewritten with every heartbeat. What counts is the file's modification time, which the disk's own clock stamps. */
  heartbeat: v.number(),
});

export type ProcessIdentity = v.InferOutput<typeof processIdentitySchema>;
export type LockRecord = v.InferOutput<typeof lockRecordSchema>;
export type LockEndpoint = NonNullable<LockRecord['endpoint']>;

export function encodeLockRecord(record: LockRecord): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(record)}\n`);
}

/** Undefined for a file that is not a whole lock record, such as one that is just being written. */
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
