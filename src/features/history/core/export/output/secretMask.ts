import { maskSecrets } from '../../../../../models/secrecy/secrecy';

const mark = '[secret]';

/** Masks secrets in texts and counts them. */
export class SecretMask {
  /** Number of secrets that were masked. */
  count = 0;

  /** `isOn` false: keeps every text as it is. */
  constructor(readonly isOn: boolean) {}

  readonly mask = (text: string): string => {
    if (!this.isOn) return text;
    const masked = maskSecrets(text);
    if (masked !== text) this.count += Math.max(1, marksIn(masked) - marksIn(text));
    return masked;
  };
}

function marksIn(text: string): number {
  return text.split(mark).length - 1;
}
