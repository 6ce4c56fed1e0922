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

/** Returns the messages of an error and its causes, outermost first. */
function messageChain(error: unknown): string {
  const messages: string[] = [];
  for (
    let current: unknown = error, depth = 0;
    current instanceof Error && depth < 6;
    current = current.cause, depth += 1
  )
    messages.push(current.message);
  return messages.length === 0 ? String(error) : messages.join(' ← ');
}

/** Converts the error of a rejected `fetch` to a fault. */
export function networkFault(error: unknown): TransportFault {
  return { kind: 'network', code: systemCode(error), message: messageChain(error) };
}
