import { t } from '../../../../base/translate';
import { keyBytes } from './cipher';
import { EncryptionError } from './encryptionError';

/** Crockford's base 32, and the five symbols that only the check character uses. */
const symbols = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const checkSymbols = `${symbols}*~$=U`;
/** 256 bits in symbols of 5. */
const length = 52;

/** A data key as text that can be written down: 52 symbols and a check character, in groups of four. */
export function recoveryKey(key: Uint8Array): string {
  const value = BigInt(`0x${Buffer.from(key).toString('hex')}`);
  const digits = Array.from({ length }, (_, index) =>
    symbols.charAt(Number((value >> BigInt(5 * (length - 1 - index))) & 31n)),
  );
  const text = digits.join('') + checkOf(value);
  return (text.match(/.{1,4}/g) ?? []).join('-');
}

/** Reads a recovery key as a person types it: any case, spaces and hyphens, O for 0, I and L for 1. Throws a
 *  `EncryptionError`: wrongRecoveryKey. */
export function readRecoveryKey(text: string): Uint8Array<ArrayBuffer> {
  const typed = text.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1');
  const digits = [...typed.slice(0, length)].map((symbol) => symbols.indexOf(symbol));
  const value = digits.reduce((sum, digit) => sum * 32n + BigInt(Math.max(0, digit)), 0n);
  const isRead =
    typed.length === length + 1 &&
    !digits.includes(-1) &&
    typed.charAt(length) === checkOf(value) &&
    value >> 256n === 0n;
  if (!isRead) throw new EncryptionError({ kind: 'wrongRecoveryKey' });
  return new Uint8Array(Buffer.from(value.toString(16).padStart(keyBytes * 2, '0'), 'hex'));
}

export interface RecoverySheet {
  readonly host: string;
  readonly database: string;
  /** Name of the history, as the user knows it. */
  readonly history: string;
  readonly key: Uint8Array;
}

/** A page to print or to store in a password manager. Markdown. */
export function recoverySheet({ host, database, history, key }: RecoverySheet): string {
  return [
    `# ${t('Recovery key of “{name}”', { name: history })}`,
    '```text',
    recoveryKey(key),
    '```',
    `Hermes · ${host}/${database}`,
    t('This key opens your history without the passphrase. Keep it secret, and not on the same server.'),
    '',
  ].join('\n\n');
}

/** 37 is a prime: one wrong symbol, or two that changed places, are noticed. */
function checkOf(value: bigint): string {
  return checkSymbols.charAt(Number(value % 37n));
}
