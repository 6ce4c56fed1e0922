import { KnownKeys, withoutKnownKey } from './knownKey';
import { SecretRules, type SecretSpan } from './secretRules';

const keyLike = /\b(?:sk|gsk|xai|pk|rk|or|ant|nvapi|hf|csk|fw|tgp_v1)[-_][A-Za-z0-9_*.-]{8,}/g;
const passwordInAddress = /(:\/\/[^\s/:@]*:)[^\s/@]+@/g;
const authorization =
  /\b(bearer|x-api-key|api[-_]?key|authorization)(["']?(?:\s*[:=])?\s*["']?(?:bearer\s+)?)[^\s"',}]{6,}/gi;

/** Removes a key from text that is stored, logged or shown, also when only a part of it or its base64 is there. Also
 *  removes everything that looks like a key or a password. Services repeat keys in their errors. Call it before the
 *  text is cut: both halves of a cut key may be unrecognizable. */
export function withoutSecrets(text: string, key: string | null): string {
  const known = key === null ? text : withoutKnownKey(text, key, '[key]');
  return known.replace(keyLike, '[key]').replace(authorization, '$1$2[key]').replace(passwordInAddress, '$1[key]@');
}

/** Returns the shown form of an invalid address that was typed in: without user and password, query, fragment and
 *  possible keys. */
export function shownAddress(written: string): string {
  return withoutSecrets(
    written
      .replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1[key]@')
      .replace(/([?#]).+$/s, '$1…')
      .replace(/(?=[\w-]*\d)[\w-]{20,}/g, '[key]'),
    null,
  );
}

/** The recommended rules of secretlint (docs/secrets.md), active once a source is set. One instance per process:
 *  pure functions of many floors mask text. */
export const secretRules = new SecretRules();

/** Keys that were read from or written to secret storage. They are masked by value, whatever they look like. */
export const knownKeys = new KnownKeys();

const mark = '[secret]';

// Our own rules, used in addition to secretlint's. Its rules need whole tokens of an exact length. Ours also match cut
// tokens, and those of services that it has no rule for. They are also the only rules if secretlint cannot be loaded.
// Each must run in time proportional to the text's length: a lookahead inside a token that may begin at every character
// does not.

/** Also matches a block that is cut off, encrypted or has headers: secretlint needs a whole block of plain base64. */
const privateKey =
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)/g;
/** Tokens by their prefix. Google and PyPI are not in secretlint. The others match tokens that are cut or of another
 *  length, and AWS's own example. */
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
/** Prefixes that are also words: the text after one counts as a key if it has a digit. Of these, secretlint knows
 *  npm, OpenAI and Anthropic, if they are whole. */
const wordPrefixed = /\b(?:sk|gsk|xai|pk|rk|nvapi|hf|csk|fw|tgp_v1|glpat|npm)[-_]([A-Za-z0-9_.-]{12,})/g;
/** Matches a possible JSON Web Token, which secretlint has no rule for. */
const dotted = /[\w.-]{29,}/g;
const webTokenBegins = /\beyJ[\w-]{8,}$/;
/** Headers: each service has its own format for bearer tokens. */
const bearer = /\b(bearer|basic)\s+(?=[A-Za-z._~+/=-]*\d)[A-Za-z0-9._~+/=-]{12,}(?<!\.)/gi;
/** `password: …`, `API_KEY="…"`: the name alone shows that the value is a secret. The name may be the end of a
 *  longer one. */
const assignment =
  /((?:api[-_]?key|access[-_]?key|secret|token|passwd|password|passphrase)["']?\s*(?::|=(?![=>]))\s*)("[^"\n]{6,}"|'[^'\n]{6,}'|[^\s"',;`]{6,})/gi;

/** Masks credentials in conversation text before it goes to a memory provider, a summary, an export or the log.
 *  `withoutSecrets` cleans errors and may remove a word too many. This function keeps prose and code about
 *  credentials readable: `token: string` is no secret. Takes time proportional to the text, about 30 ms for a
 *  megabyte. Call it before the text is cut. */
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
    // A span that overlaps the last one shares its mark.
    if (start >= done) result += text.slice(done, start) + mark;
    done = end;
  }
  return result + text.slice(done);
}

/** Masks three parts between dots of which the first is the base64 of a JSON object. A single expression would take
 *  quadratic time on a run of such beginnings without a dot: it would read the run once for each of them. */
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

/** True for a token of at least 12 characters with a digit. A period at its end belongs to the sentence. */
function isToken(run: string): boolean {
  return /\d/.test(run) && run.length - ending(run).length >= 12;
}

function ending(run: string): string {
  let end = run.length;
  while (run[end - 1] === '.') end--;
  return run.slice(end);
}

/** True for a quoted value, and for a bare one that cannot be a type, a variable or a call. A value that was masked
 *  in part is masked completely. */
function isLiteral(value: string): boolean {
  if (value === mark) return false;
  if (/^["']/.test(value)) return !/^["'](?:\$\{|<)/.test(value);
  const rest = value.replaceAll(mark, '');
  return (rest === value ? /\d/ : /\w/).test(rest) && !/[()[\]{}<>$]/.test(rest);
}
