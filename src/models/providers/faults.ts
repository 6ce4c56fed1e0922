import { APICallError, JSONParseError, TypeValidationError } from '@ai-sdk/provider';
import type { TransportFault } from '../transport';
import { AnswerFault, errorDetails } from './observedFetch';

/** What a thrown error or an `error` part of the SDK means, in our words. */
export function faultOf(error: unknown): TransportFault {
  if (error instanceof AnswerFault) return error.fault;
  if (APICallError.isInstance(error)) {
    const { statusCode, responseHeaders, responseBody } = error;
    if (statusCode !== undefined && (statusCode < 200 || statusCode > 299)) {
      return { kind: 'http', status: statusCode, headers: responseHeaders ?? {}, body: responseBody ?? '' };
    }
    return { kind: 'network', code: systemCode(error), message: chain(error) };
  }
  if (JSONParseError.isInstance(error) || TypeValidationError.isInstance(error)) return { kind: 'malformed', message: chain(error).slice(0, 2000) };
  if (error instanceof Error) {
    const code = systemCode(error);
    if (code !== null || /terminated|socket|network|fetch failed|premature close|aborted/i.test(chain(error))) return { kind: 'network', code, message: chain(error) };
    if (error.name === 'AI_EmptyResponseBodyError') return { kind: 'empty' };
    return { kind: 'malformed', message: chain(error).slice(0, 2000) };
  }
  return { kind: 'inStream', ...errorDetails(error) };
}

/** What an `error` part says: an object the service sent, or an exception the SDK made of it. */
export function faultOfPart(error: unknown): TransportFault {
  if (APICallError.isInstance(error)) {
    const details = errorDetails(error.data ?? { message: error.message });
    return { kind: 'inStream', message: details.message === '' ? error.message : details.message, code: details.code, status: error.statusCode ?? null };
  }
  if (error instanceof Error && /without a finish reason/.test(error.message)) return { kind: 'noFinish' };
  return faultOf(error);
}

function systemCode(error: unknown): string | null {
  for (let current = error, depth = 0; current instanceof Error && depth < 6; current = current.cause, depth += 1) {
    if ('code' in current && typeof current.code === 'string') return current.code;
    if (current instanceof AggregateError) {
      const inner = current.errors.map(systemCode).find((code) => code !== null);
      if (inner !== undefined) return inner;
    }
  }
  return null;
}

function chain(error: Error): string {
  const messages: string[] = [];
  for (let current: unknown = error, depth = 0; current instanceof Error && depth < 6; current = current.cause, depth += 1) messages.push(current.message);
  return messages.join(' ← ');
}
