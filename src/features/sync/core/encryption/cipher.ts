import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { longestBody, sealedBody } from '../syncServer';
import { EncryptionError } from './encryptionError';
import type { webcrypto } from 'node:crypto';

/** Bytes of a key: AES-256. */
export const keyBytes = 32;
const ivBytes = 12;
const prefix = 'hermes1:';
const [plain, deflated] = [0, 1];

/** Where a body belongs. A body that is found in another place is refused. */
export interface Place {
  readonly conversationId: string;
  readonly document: string;
  /** The conversation's version in which the document has this body. */
  readonly version: number;
}

/** Encrypts and decrypts the bodies of one history. */
export class Cipher {
  constructor(
    readonly key: Uint8Array<ArrayBuffer>,
    readonly historyKey: string,
  ) {
    if (key.length !== keyBytes) throw new EncryptionError({ kind: 'damagedDescription' });
  }

  async encrypt(body: string, place: Place): Promise<string> {
    const bytes = new TextEncoder().encode(body);
    const packed = await promisify(deflateRaw)(bytes);
    const [form, content] = packed.length < bytes.length ? [deflated, packed] : [plain, bytes];
    const text = new Uint8Array(content.length + 1);
    text.set([form]);
    text.set(content, 1);
    return prefix + Buffer.from(await encryptBytes(this.key, text, this.about(place))).toString('base64url');
  }

  /** Throws an `EncryptionError` for a body that this key did not encrypt for this place. */
  async open(sealed: string, place: Place): Promise<string> {
    const { conversationId, document } = place;
    if (!sealed.startsWith(prefix)) {
      if (sealedBody.test(sealed)) throw new EncryptionError({ kind: 'newerVersion' });
      throw new EncryptionError({ kind: 'unsealedRow', conversationId, document });
    }
    try {
      const encoded = sealed.slice(prefix.length);
      const bytes = Buffer.from(encoded, 'base64url');
      // The decoder skips characters that it does not know.
      if (bytes.toString('base64url') !== encoded) throw new Error('not base64url');
      const text = await openBytes(this.key, bytes, this.about(place));
      const content = text.subarray(1);
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        text[0] === deflated ? await promisify(inflateRaw)(content, { maxOutputLength: longestBody }) : content,
      );
    } catch {
      throw new EncryptionError({ kind: 'damagedRow', conversationId, document });
    }
  }

  private about({ conversationId, document, version }: Place): string {
    return JSON.stringify([this.historyKey, conversationId, document, version]);
  }
}

/** Encrypts bytes with AES-256-GCM. Returns a random 96-bit IV and the ciphertext with its tag. `about` is not
 *  contained, but must be the same when the bytes are opened. */
export async function encryptBytes(
  key: Uint8Array<ArrayBuffer>,
  bytes: Uint8Array<ArrayBuffer>,
  about: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const iv = globalThis.crypto.getRandomValues(new Uint8Array(ivBytes));
  const sealed = await globalThis.crypto.subtle.encrypt(aesParameters(iv, about), await imported(key), bytes);
  const whole = new Uint8Array(ivBytes + sealed.byteLength);
  whole.set(iv);
  whole.set(new Uint8Array(sealed), ivBytes);
  return whole;
}

/** Rejects for bytes that were not sealed with this key and this `about`. */
export async function openBytes(
  key: Uint8Array<ArrayBuffer>,
  sealed: Uint8Array<ArrayBuffer>,
  about: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const iv = sealed.slice(0, ivBytes);
  const rest = sealed.slice(ivBytes);
  return new Uint8Array(await globalThis.crypto.subtle.decrypt(aesParameters(iv, about), await imported(key), rest));
}

function aesParameters(iv: Uint8Array<ArrayBuffer>, about: string): webcrypto.AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(about) };
}

function imported(key: Uint8Array<ArrayBuffer>): Promise<webcrypto.CryptoKey> {
  return globalThis.crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt']);
}
