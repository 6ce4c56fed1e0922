import * as v from 'valibot';

/** Why a strict server refuses a request, before anything is generated. */
export interface Rejection {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
}

/** Thrown inside a rule; caught once by the server and answered in the protocol's error JSON. */
export class RejectedRequest extends Error {
  override readonly name = 'RejectedRequest';
  constructor(readonly rejection: Rejection) {
    super(rejection.message);
  }
}

export function reject(
  message: string,
  status = 400,
  type = 'invalid_request_error',
  code: string | null = null,
): never {
  throw new RejectedRequest({ status, message, type, code });
}

/** Parses the body's shape, or rejects with the path of the first thing that is wrong. */
export function parseShape<Schema extends v.GenericSchema>(schema: Schema, body: unknown): v.InferOutput<Schema> {
  const result = v.safeParse(schema, body);
  if (result.success) return result.output;
  return reject(deepest(result.issues[0]));
}

/** A union reports only that no member fits; the issue of the member that came furthest says what is really wrong. */
function deepest(issue: v.BaseIssue<unknown>, above = ''): string {
  const path = [above, ...(issue.path ?? []).map((item) => String(item.key))].filter((key) => key !== '').join('.');
  const inner = (issue.issues ?? []).find((item) => (item.path?.length ?? 0) > 0);
  return inner === undefined ? `${path === '' ? 'body' : path}: ${issue.message}` : deepest(inner, path);
}

/** JSON with lone surrogates is refused by the real services ("could not parse the JSON body"). */
export function rejectLoneSurrogates(raw: string): void {
  const withoutPairs = raw.replace(/\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}/gi, '');
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/i.test(withoutPairs))
    reject('We could not parse the JSON body of your request: lone surrogate.');
}
