/** Creates new identities. */
export interface Ids {
  /** Globally unique; for turns, messages, prompts, calls. */
  uid(): string;
  /** `YYYYMMDD_HHMMSS_<6 hex>` of the given time in seconds, in local time, as in the `state.db` of Hermes. */
  sessionId(now: number): string;
}

/** Creates identities from a source of random bytes (`crypto.getRandomValues` in the product, a seeded one in
 *  tests). */
export function idsFrom(randomBytes: (count: number) => Uint8Array): Ids {
  const hex = (count: number): string =>
    Array.from(randomBytes(count), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const two = (value: number): string => String(value).padStart(2, '0');
  return {
    uid: () => hex(16),
    sessionId: (now) => {
      const date = new Date(now * 1000);
      const day = `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}`;
      return `${day}_${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}_${hex(3)}`;
    },
  };
}
