import type { webcrypto } from 'node:crypto';

/** Bytes of a key: AES-256. */
export const keyBytes = 32;
const ivBytes = 12;

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
