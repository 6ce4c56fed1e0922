import { createHash, createHmac } from 'node:crypto';
import type { ChainedVersion } from '../../../../store/syncing';
import type { FetchQuery, MadeVersion } from '../syncServer';
import { EncryptionError } from './encryptionError';

/** Characters of a hash of the tail before, and of the proof. */
const linkLength = 8;
const proofLength = 22;

/** Makes and checks the tails of an encrypted history: `random.link.proof`. The proof binds the random text to its
 *  conversation and version, and to the version before. A tail without these is one of an earlier build. */
export class VersionCipher {
  private readonly key: Buffer;

  constructor(
    key: Uint8Array,
    private readonly historyKey: string,
  ) {
    this.key = createHmac('sha256', key).update('order of versions').digest();
  }

  tailOf({ conversationId, base, baseTail, random }: MadeVersion): string {
    const link = linkTo(baseTail);
    return [random, link, this.proof(conversationId, base + 1, random, link)].join('.');
  }

  /** Throws an `EncryptionError` when no machine of this history made one of these versions in this order. `chain`:
   *  what the server says after the version `base`, the newest first. */
  check({ conversationId, chain: known }: FetchQuery, base: number, chain: readonly ChainedVersion[]): void {
    const shared = known.filter(({ version }) => version <= base);
    const tails = new Map([...shared, ...chain].map(({ version, tail }) => [version, tail]));
    for (const { version, tail } of chain) {
      const [random = '', link, proof] = tail.split('.');
      if (link === undefined) continue;
      const before = version === 1 ? null : tails.get(version - 1);
      const isLinked = before === undefined || link === linkTo(before);
      if (!isLinked || proof !== this.proof(conversationId, version, random, link))
        throw new EncryptionError({ kind: 'damagedRow', conversationId, document: `version ${version}` });
    }
  }

  private proof(conversationId: string, version: number, random: string, link: string): string {
    const about = JSON.stringify([this.historyKey, conversationId, version, random, link]);
    return createHmac('sha256', this.key).update(about).digest('base64url').slice(0, proofLength);
  }
}

function linkTo(tail: string | null): string {
  return createHash('sha256')
    .update(tail ?? '')
    .digest('base64url')
    .slice(0, linkLength);
}
