import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { longestBody, sealedBody } from '../syncServer';
import { EncryptionError } from './encryptionError';
import { keyBytes, openBytes, encryptBytes } from './aes';

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
