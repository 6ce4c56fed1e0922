import type { TransportFault } from '../transport';

/** Returns the system's code for a failed connection (ECONNREFUSED, CERT_HAS_EXPIRED), from anywhere in the chain of
 *  causes. */
export function systemCode(error: unknown): string | null {
  for (let current = error, depth = 0; current instanceof Error && depth < 6; current = current.cause, depth += 1) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    if (current instanceof AggregateError) {
      const inner = current.errors.map(systemCode).find((code) => code !== null);
      if (inner !== undefined) return inner;
    }
  }
  return null;
}

/** Converts the error of a rejected `fetch` to a fault, with the messages of the error and its causes. */
export function networkFault(error: unknown): TransportFault {
  const messages: string[] = [];
  for (let current = error; current instanceof Error && messages.length < 6; current = current.cause)
    messages.push(current.message);
  const message = messages.length === 0 ? String(error) : messages.join(' ← ');
  return { kind: 'network', code: systemCode(error), message };
}
