import { parsedJson } from '../../../../transcript/json';
import { scrypt, type ScryptOptions } from 'node:crypto';
import * as v from 'valibot';
import { keyBytes, openBytes, encryptBytes } from './cipher';
import { EncryptionError } from './encryptionError';

const saltBytes = 16;
const knownText = 'hermes';

/** Cost of scrypt: N (a power of two), r and p. */
export interface KeyCost {
  readonly n: number;
  readonly r: number;
  readonly p: number;
}

/** About 0.4 seconds and 128 MiB. */
const defaultCost: KeyCost = { n: 2 ** 17, r: 8, p: 1 };

const count = (max: number) => v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(max));
const bytes = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]+$/));
const versionSchema = v.object({ version: v.number() });
const schema = v.object({
  version: v.literal(1),
  kdf: v.pipe(
    v.object({
      name: v.literal('scrypt'),
      n: v.pipe(
        count(2 ** 20),
        v.check((n) => n > 1 && Number.isInteger(Math.log2(n))),
      ),
      r: count(16),
      p: count(2),
      salt: bytes,
    }),
    // A server can make a machine spend 256 MiB and four times the usual work, and no more.
    v.check(({ n, r }) => n * r <= 2 ** 21),
  ),
  /** A known text, encrypted with the key of the passphrase. */
  check: bytes,
  /** The data key, encrypted with the key of the passphrase. */
  wrappedKey: bytes,
  /** A known text and how often the passphrase was changed, encrypted with the data key: no server can make it up. */
  keyCheck: bytes,
});
type Description = v.InferOutput<typeof schema>;

export interface NewCipher {
  /** JSON, for the server to keep. Holds nothing that opens the history without the passphrase. */
  readonly description: string;
  /** 32 bytes. */
  readonly key: Uint8Array<ArrayBuffer>;
}

/** Makes a random data key that this passphrase opens. */
export async function createCipher(passphrase: string, cost: KeyCost = defaultCost): Promise<NewCipher> {
  const key = globalThis.crypto.getRandomValues(new Uint8Array(keyBytes));
  return { key, description: await describeKey(key, passphrase, { cost }) };
}

/** Describes a data key for a passphrase. Called with the same key and another passphrase, it changes the passphrase:
 *  what is encrypted stays readable. `order`: higher than that of the description before. */
export async function describeKey(
  key: Uint8Array<ArrayBuffer>,
  passphrase: string,
  { cost = defaultCost, order = 0 }: { readonly cost?: KeyCost; readonly order?: number } = {},
): Promise<string> {
  const salt = globalThis.crypto.getRandomValues(new Uint8Array(saltBytes));
  const outer = await derived(passphrase, salt, cost);
  const known = new TextEncoder().encode(knownText);
  const description: Description = {
    version: 1,
    kdf: { name: 'scrypt', ...cost, salt: textOf(salt) },
    check: textOf(await encryptBytes(outer, known, 'check')),
    wrappedKey: textOf(await encryptBytes(outer, key, 'key')),
    keyCheck: textOf(await encryptBytes(key, new TextEncoder().encode(`${knownText} ${order}`), 'key check')),
  };
  return JSON.stringify(description);
}

/** The data key. Throws an `EncryptionError`: wrongPassphrase, newerVersion or damagedDescription. */
export async function openCipher(description: string, passphrase: string): Promise<Uint8Array<ArrayBuffer>> {
  const { kdf, check, wrappedKey, keyCheck } = parsed(description);
  const outer = await derived(passphrase, bytesOf(kdf.salt), kdf);
  if ((await opened(outer, check, 'check')) === null) throw new EncryptionError({ kind: 'wrongPassphrase' });
  const key = await opened(outer, wrappedKey, 'key');
  if (key?.length !== keyBytes || (await opened(key, keyCheck, 'key check')) === null)
    throw new EncryptionError({ kind: 'damagedDescription' });
  return key;
}

/** Returns the data key from a recovery key if it belongs to this description. Throws an `EncryptionError`:
 *  wrongRecoveryKey, newerVersion or damagedDescription. */
export async function checkKey(description: string, key: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const { keyCheck } = parsed(description);
  if ((await opened(key, keyCheck, 'key check')) === null) throw new EncryptionError({ kind: 'wrongRecoveryKey' });
  return key;
}

/** How often the passphrase was changed before this description; null for one of another key, or that cannot be
 *  read. */
export async function orderOf(description: string, key: Uint8Array<ArrayBuffer>): Promise<number | null> {
  let known: Uint8Array | null;
  try {
    known = await opened(key, parsed(description).keyCheck, 'key check');
  } catch {
    return null;
  }
  // An earlier build wrote no number.
  return known === null ? null : Number(/ (\d+)$/.exec(new TextDecoder().decode(known))?.[1] ?? 0);
}

function parsed(description: string): Description {
  const json = parsedJson(description);
  const version = v.safeParse(versionSchema, json);
  if (version.success && version.output.version > 1) throw new EncryptionError({ kind: 'newerVersion' });
  const found = v.safeParse(schema, json);
  if (!found.success) throw new EncryptionError({ kind: 'damagedDescription' });
  return found.output;
}

/** Null for text that this key does not open. */
async function opened(
  key: Uint8Array<ArrayBuffer>,
  text: string,
  about: string,
): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    return await openBytes(key, bytesOf(text), about);
  } catch {
    return null;
  }
}

/** The same text typed on another system may be composed differently: NFKC makes it one. */
function derived(passphrase: string, salt: Uint8Array, { n, r, p }: KeyCost): Promise<Uint8Array<ArrayBuffer>> {
  const options: ScryptOptions = { N: n, r, p, maxmem: 256 * n * r };
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKC'), salt, keyBytes, options, (error, key) =>
      error === null ? resolve(new Uint8Array(key)) : reject(error),
    );
  });
}

function textOf(data: Uint8Array): string {
  return Buffer.from(data).toString('base64url');
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'base64url'));
}

interface KeyDescriptionDeps {
  readonly key: Uint8Array<ArrayBuffer>;
  readonly server: DescriptionServer;
  /** The description that is kept beside the key on this machine; null for none. */
  readonly known: () => Promise<string | null>;
  readonly keep: (description: string) => Promise<void>;
}

/** Where all machines of a history find the description of its key. */
export interface DescriptionServer {
  /** Null when the history has none. */
  sealDescription(): Promise<string | null>;
  /** Keeps a description where there is none. Returns the one that is kept. */
  keepSeal(description: string): Promise<string>;
  /** Exchanges a description for another one. False when the server has another one by now. */
  changeSeal(before: string, description: string): Promise<boolean>;
}

/** How often another machine may change the description meanwhile. */
const attempts = 3;

/** The description of a history's key: on the server, for machines that have only the passphrase, and beside the key on
 *  each machine, for a server that lost it. */
export class KeyDescription {
  constructor(private readonly deps: KeyDescriptionDeps) {}

  /** Brings the server's description and this machine's together: the newer one is kept on both. Returns it; null when
   *  there is none. Throws an `EncryptionError`, otherKey, for one of another key: nothing may be exchanged then. */
  async agree(): Promise<string | null> {
    const { key, server, known, keep } = this.deps;
    const here = await known();
    const orderHere = here === null ? null : await orderOf(here, key);
    for (let attempt = 0; attempt < attempts; attempt++) {
      let there = await server.sealDescription();
      if (there === null) {
        if (here === null || orderHere === null) return null;
        there = await server.keepSeal(here);
      }
      const orderThere = await orderOf(there, key);
      if (orderThere === null) throw new EncryptionError({ kind: 'otherKey' });
      if (there === here) return there;
      if (here === null || orderHere === null || orderThere >= orderHere) {
        await keep(there);
        return there;
      }
      // An older one: a backup of the server was restored, or it pretends so.
      if (await server.changeSeal(there, here)) return here;
    }
    throw new EncryptionError({ kind: 'changedMeanwhile' });
  }
}
