import { APICallError, JSONParseError, TypeValidationError } from '@ai-sdk/provider';
import { messageChain, networkFault, systemCode } from '../http/networkFault';
import type { TransportFault } from '../transport';
import { AnswerFault, errorDetails } from './observedFetch';

/** Converts a thrown error or an `error` part of the SDK to a fault. */
export function faultOf(error: unknown): TransportFault {
  if (error instanceof AnswerFault) return error.fault;
  if (APICallError.isInstance(error)) {
    const { statusCode, responseHeaders, responseBody } = error;
    if (statusCode !== undefined && (statusCode < 200 || statusCode > 299)) {
      return { kind: 'http', status: statusCode, headers: responseHeaders ?? {}, body: responseBody ?? '' };
    }
    return networkFault(error);
  }
  if (JSONParseError.isInstance(error) || TypeValidationError.isInstance(error))
    return { kind: 'malformed', message: messageChain(error) };
  if (error instanceof Error) {
    if (
      systemCode(error) !== null ||
      /terminated|socket|network|fetch failed|premature close|aborted/i.test(messageChain(error))
    )
      return networkFault(error);
    if (error.name === 'AI_EmptyResponseBodyError') return { kind: 'empty' };
    return { kind: 'malformed', message: messageChain(error) };
  }
  return { kind: 'inStream', ...errorDetails(error) };
}

/** Converts an `error` part: an object from the service, or an exception that the SDK made of it. */
export function faultOfPart(error: unknown): TransportFault {
  if (APICallError.isInstance(error)) {
    const sent =
      typeof error.data === 'object' && error.data !== null && 'error' in error.data
        ? error.data.error
        : { message: error.message };
    return { kind: 'inStream', ...errorDetails(sent), status: error.statusCode ?? null };
  }
  if (error instanceof Error && /without a finish reason/.test(error.message)) return { kind: 'noFinish' };
  return faultOf(error);
}
