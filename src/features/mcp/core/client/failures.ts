import {
  InsufficientScopeError,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { t } from '../../../../base/translate';
import { errorMessage } from '../../../../base/errorMessage';
import type { McpFailure } from '../mcpConnection';
import { TimedOut } from './openCalls';

/** Network errors that mean that the server was never reached. */
const neverReached = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/** Reason why a request failed, and if the server may have run it. */
export function failureOf(error: unknown, processEnding: string | null): McpFailure {
  const failed = (cause: McpFailure['cause'], mayHaveRun: boolean): McpFailure => ({
    kind: 'failed',
    cause,
    sentence: wordsOf(error),
    mayHaveRun,
  });
  if (error instanceof ProtocolError) return failed('refused', !isBeforeTheRun(error));
  if (wantsSignIn(error)) return failed('signIn', false);
  if (error instanceof TimedOut) return failed('timeout', true);
  const status = httpStatusOf(error);
  // A restarted server no longer knows the session, so it did not run the request.
  if (status === 404 || isUnknownSession(error, status)) return failed('lost', false);
  if (status !== null) return failed(status >= 500 ? 'lost' : 'refused', status >= 500 || status === 408);
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.RequestTimeout) return failed('timeout', true);
    if (error.code === SdkErrorCode.NotConnected) return failed('lost', false);
    if (error.code === SdkErrorCode.ConnectionClosed || error.code === SdkErrorCode.SendFailed) {
      return {
        ...failed('lost', true),
        ...(processEnding === null ? {} : { sentence: t('The program ended {how}.', { how: processEnding }) }),
      };
    }
    return failed('unusable', true);
  }
  const code = codeOf(error);
  if (code !== null) return failed('lost', !neverReached.includes(code));
  return error instanceof TypeError ? failed('lost', true) : failed('unusable', true);
}

/** True for answers of servers that did not run a call. What a server says about the result came behind the run, also
 *  with the code for wrong arguments. */
function isBeforeTheRun({ code, message }: ProtocolError): boolean {
  if (code === ProtocolErrorCode.InvalidParams) return !/output|result|structured|respon|return/i.test(message);
  return (
    code === ProtocolErrorCode.ParseError ||
    code === ProtocolErrorCode.InvalidRequest ||
    code === ProtocolErrorCode.MethodNotFound
  );
}

/** True when the server did not take the request because of who sent it. */
export function wantsSignIn(error: unknown): boolean {
  return httpStatusOf(error) === 401 || error instanceof UnauthorizedError || error instanceof InsufficientScopeError;
}

export function httpStatusOf(error: unknown): number | null {
  return error instanceof SdkHttpError ? (error.status ?? null) : null;
}

/** Sentence for users and the model. */
export function wordsOf(error: unknown): string {
  const status = httpStatusOf(error);
  if (error instanceof InsufficientScopeError) return t('The server wants a sign-in with more rights (403).');
  if (wantsSignIn(error)) return t('The server wants you to sign in (401).');
  if (status === 403) return t('The server refused access (403). Sign in again, or check the token in "headers".');
  const code = codeOf(error);
  if (code === 'ENOENT')
    return t('The program was not found. Check "command", and whether it is installed and on the PATH.');
  if (code === 'EACCES') return t('You don’t have permission to run this program.');
  if (code === 'ECONNREFUSED') return t('Can’t reach this address (connection refused).');
  if (code !== null && neverReached.includes(code)) return t('The host could not be reached ({code}).', { code });
  if (error instanceof TimedOut || (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout))
    return t('The server did not answer in time.');
  const message = errorMessage(error);
  return code === null ? ended(message) : ended(`${message} (${code})`);
}

/** Node's `fetch` hides the cause under "fetch failed". */
function codeOf(error: unknown): string | null {
  for (let each = error; each instanceof Error; each = each.cause)
    if ('code' in each && typeof each.code === 'string' && /^E[A-Z_]+$/.test(each.code) && !(each instanceof SdkError))
      return each.code;
  return null;
}

/** Answer of servers that follow older revisions to the letter. */
function isUnknownSession(error: unknown, status: number | null): boolean {
  return status === 400 && error instanceof Error && /session/i.test(error.message);
}

function ended(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
