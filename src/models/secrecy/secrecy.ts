import { KnownKeys, withoutKnownKey } from './knownKey';
import { SecretRules, type SecretSpan } from './secretRules';

const keyLike = /\b(?:sk|gsk|xai|pk|rk|or|ant|nvapi|hf|csk|fw|tgp_v1)[-_][A-Za-z0-9_*.-]{8,}/g;
const passwordInAddress = /(:\/\/[^\s/:@]*:)[^\s/@]+@/g;
const authorization =
  /\b(bearer|x-api-key|api[-_]?key|authorization)(["']?(?:\s*[:=])?\s*["']?(?:bearer\s+)?)[^\s"',}]{6,}/gi;

/** Removes a key, also where only a part of it or its base64 is there, and whatever looks like a key or a password from text that is stored, logged or
 *  shown. Services echo keys in their errors. Call it before the text is cut: of a key that is cut in two neither half may be known. */
export function withoutSecrets(text: string, key: string | null): string {
  const known = key === null ? text : withoutKnownKey(text, key, '[key]');
  return known.replace(keyLike, '[key]').replace(authorization, '$1$2[key]').replace(passwordInAddress, '$1[key]@');
}

/** An address that somebody wrote and that is none, as it may be shown: without user and password, query, fragment and what may be a key. */
export function shownAddress(written: string): string {
  return withoutSecrets(
    written
      .replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1[key]@')
      .replace(/([?#]).+$/s, '$1…')
      .replace(/(?=[\w-]*\d)[\w-]{20,}/g, '[key]'),
    null,
  );
}

/** The recommended rules of secretlint (docs/secrets.md), from when it is said where they are. One for the process: text is masked in pure functions of
 *  many floors. */
export const secretRules = new SecretRules();

/** Keys that were read from or put into secret storage: masked by their value, whatever they look like. */
export const knownKeys = new KnownKeys();

const mark = '[secret]';

// Ours beside secretlint's rules, and why. Its rules want whole tokens of an exact length. Ours take tokens that are cut, and those of services it has no rule
// for. They are also all there is where its rules cannot be loaded. None of them may take longer than in proportion to a text's length: a look ahead inside a
// token that may begin at every character does.

/** Cut off, encrypted or with headers too: secretlint wants a whole block of plain base64. */
const privateKey =
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)/g;
/** Tokens by their prefix. Google and PyPI are not in secretlint; the others are here for tokens that are cut or of another length, and for AWS's own example. */
const prefixed = new RegExp(
  [
    String.raw`\bgh[pousr]_[A-Za-z0-9]{16,}`,
    String.raw`\bgithub_pat_\w{16,}`,
    String.raw`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
    String.raw`\bAIza[\w-]{30,}`,
    String.raw`\bpypi-[\w-]{30,}`,
    String.raw`\bxox[abeprs]-[\w-]{10,}`,
  ].join('|'),
  'g',
);
/** Prefixes that are words too: what follows counts as a key where it has a digit. Of these secretlint knows npm, OpenAI and Anthropic, when they are whole. */
const wordPrefixed = /\b(?:sk|gsk|xai|pk|rk|nvapi|hf|csk|fw|tgp_v1|glpat|npm)[-_]([A-Za-z0-9_.-]{12,})/g;
/** What may be a JSON Web Token, which secretlint has no rule for. */
const dotted = /[\w.-]{29,}/g;
const webTokenBegins = /\beyJ[\w-]{8,}$/;
/** Headers: what a bearer token looks like is up to the service. */
const bearer = /\b(bearer|basic)\s+(?=[A-Za-z._~+/=-]*\d)[A-Za-z0-9._~+/=-]{12,}(?<!\.)/gi;
/** `password: …`, `API_KEY="…"`, where the name alone says what the value is. The name may be the end of a longer one. */
const assignment =
  /((?:api[-_]?key|access[-_]?key|secret|token|passwd|password|passphrase)["']?\s*(?::|=(?![=>]))\s*)("[^"\n]{6,}"|'[^'\n]{6,}'|[^\s"',;`]{6,})/gi;

/** Masks credentials in text of a conversation before it goes to a memory provider, into a summary, an export or the log. Unlike `withoutSecrets`, which
 *  cleans errors and may take a word too many, it leaves prose and code about credentials readable: `token: string` is no secret. Takes time in proportion
 *  to the text, about 30 ms for a megabyte. Call it before the text is cut. */
export function maskSecrets(text: string): string {
  const known = knownKeys.masked(text, mark);
  return withoutWebTokens(masked(known, secretRules.find(known)))
    .replace(privateKey, mark)
    .replace(prefixed, mark)
    .replace(wordPrefixed, (whole, rest: string) => (isToken(rest) ? mark + ending(rest) : whole))
    .replace(bearer, `$1 ${mark}`)
    .replace(passwordInAddress, `$1${mark}@`)
    .replace(assignment, (whole, name: string, value: string) => (isLiteral(value) ? `${name}${mark}` : whole));
}

function masked(text: string, spans: readonly SecretSpan[]): string {
  if (spans.length === 0) return text;
  let result = '';
  let done = 0;
  for (const { start, end } of [...spans].sort((one, other) => one.start - other.start)) {
    if (end <= done) continue;
    // One that overlaps the last belongs to its mark.
    if (start >= done) result += text.slice(done, start) + mark;
    done = end;
  }
  return result + text.slice(done);
}

/** Three parts between dots, of which the first is the base64 of a JSON object. One expression for all of it would read a run of such beginnings, none of
 *  which has a dot after it, once for each of them. */
function withoutWebTokens(text: string): string {
  return text.includes('eyJ') ? text.replace(dotted, withoutWebTokensInRun) : text;
}

function withoutWebTokensInRun(run: string): string {
  if (!run.includes('eyJ')) return run;
  const parts = run.split('.');
  const kept: string[] = [];
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? '';
    const isFirst =
      part.includes('eyJ') && webTokenBegins.test(part) && [1, 2].every((next) => (parts[at + next]?.length ?? 0) >= 8);
    kept.push(isFirst ? part.replace(webTokenBegins, mark) : part);
    if (isFirst) at += 2;
  }
  return kept.join('.');
}

/** Characters of a token with a digit among them. A full stop at its end ends the sentence. */
function isToken(run: string): boolean {
  return /\d/.test(run) && run.length - ending(run).length >= 12;
}

function ending(run: string): string {
  let end = run.length;
  while (run[end - 1] === '.') end--;
  return run.slice(end);
}

/** A quoted value is one; a bare one counts where it cannot be a type, a variable or a call. One that was masked in part is masked whole. */
function isLiteral(value: string): boolean {
  if (value === mark) return false;
  if (/^["']/.test(value)) return !/^["'](?:\$\{|<)/.test(value);
  const rest = value.replaceAll(mark, '');
  return (rest === value ? /\d/ : /\w/).test(rest) && !/[()[\]{}<>$]/.test(rest);
}
