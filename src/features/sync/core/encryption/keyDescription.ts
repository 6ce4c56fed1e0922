import { EncryptionError } from './encryptionError';
import { orderOf } from './cipherDescription';

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
