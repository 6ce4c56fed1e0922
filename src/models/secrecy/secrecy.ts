import { SecretRules, type SecretSpan } from './secretRules';
import { formedTokens, isVague, namesSecret, prefixedToken, secretName, wordPrefixedToken } from './secretTable';

/** Characters of the shortest part of a key that is recognized as the key. */
const shortestRun = 8;

/** Replaces a known key in a text, and every part of it with at least eight characters: plain, percent-encoded, and
 *  in base64 (standard and URL-safe, after any other bytes). A key of fewer than eight characters is only replaced
 *  as a whole, one of fewer than four not at all. */
function withoutKnownKey(text: string, key: string, mark: string): string {
  if (key.length < 4) return text;
  if (key.length < shortestRun) return text.replaceAll(key, mark);
  const runs = runsOf(key);
  const kept: string[] = [];
  /** End of the last match. Matches that overlap or touch count as one. */
  let end: number | null = null;
  for (let at = 0; at + shortestRun <= text.length; at++) {
    if (!runs.has(text.slice(at, at + shortestRun))) continue;
    if (end === null || at > end) kept.push(text.slice(end ?? 0, at), mark);
    end = at + shortestRun;
  }
  return kept.join('') + text.slice(end ?? 0);
}

function runsOf(key: string): ReadonlySet<string> {
  const percent = encodeURIComponent(key.toWellFormed());
  const spellings = [key, percent, percent.replace(/%[0-9A-F]{2}/g, (sign) => sign.toLowerCase()), ...inBase64(key)];
  return new Set(
    spellings.flatMap((spelling) =>
      Array.from({ length: Math.max(0, spelling.length - shortestRun + 1) }, (_, at) =>
        spelling.slice(at, at + shortestRun),
      ),
    ),
  );
}

/** Returns the base64 characters that depend only on the key, after 0, 1 and 2 other bytes: base64 packs three bytes
 *  into four characters. */
function inBase64(key: string): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(key)]);
    const [first, last] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return [bytes.toString('base64').slice(first, last), bytes.toString('base64url').slice(first, last)];
  });
}

/** Characters of the shortest key that is masked everywhere: people use words such as "none" and "lm-studio" as keys
 *  for local servers. */
const shortestKey = 16;

/** Known keys by value. Kept only in memory, for the life of the process. */
export class KnownKeys {
  private readonly spellings = new Set<string>();

  add(key: string): void {
    if (key.length < shortestKey || !/\d/.test(key)) return;
    for (const spelling of [key, encodeURIComponent(key.toWellFormed()), ...inBase64(key)])
      this.spellings.add(spelling);
  }

  /** Returns the text with whole keys replaced: plain, percent-encoded, and in base64. */
  masked(text: string, mark: string): string {
    let result = text;
    for (const spelling of this.spellings) if (result.includes(spelling)) result = result.replaceAll(spelling, mark);
    return result;
  }
}

/** Headers, with values of any kind. */
const header = /\b(bearer|x-api-key|api[-_]?key|authorization)(["']?(?:\s*[:=])?\s*["']?(?:bearer\s+)?)[^\s"',}]{6,}/gi;

/** Removes a key from text that is stored, logged or shown, also when only a part of it or its base64 is there. Also
 *  removes everything that `maskSecrets` masks, and values of headers whatever they look like. Services repeat keys in
 *  their errors. Call it before the text is cut: both halves of a cut key may be unrecognizable. */
export function withoutSecrets(text: string, key: string | null): string {
  const known = key === null ? text : withoutKnownKey(text, key, '[key]');
  return masked(known, '[key]').replace(header, '$1$2[key]');
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

// Each must run in time proportional to the text's length: a lookahead inside a token that may begin at every character
// does not.

/** Also matches a block that is cut off, encrypted or has headers: secretlint needs a whole block of plain base64. */
const privateKey =
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)/g;
/** Matches a possible JSON Web Token, which secretlint has no rule for. */
const dotted = /[\w.-]{29,}/g;
const webTokenBegins = /\beyJ[\w-]{8,}$/;
const passwordInAddress = /(:\/\/[^\s/:@]*:)[^\s/@]+@/g;
/** Headers: each service has its own format for bearer tokens. */
const bearer = /\b(bearer|basic)\s+(?=[A-Za-z._~+/=-]*\d)[A-Za-z0-9._~+/=-]{12,}(?<!\.)/gi;
const authorization = /\b(authorization["'\\]{0,3}\s*[:=]\s*["'\\]{0,3}(?:[a-z][\w-]{2,20}\s+)?)([\w.~+/=:-]{8,})/gi;
const cookies = /\b((?:set-)?cookie["'\\]{0,3}\s*:\s*["'\\]{0,3})([\w.-]{1,80}=[^\r\n"'\\]{6,})/gi;
const quoted = String.raw`"[^"\n]{4,}"|'[^'\n]{4,}'|\\"[^"\\\n]{4,}\\"`;
const bare = '[^\\s"\'`,;&<>\\\\]{4,}';
/** Between a name and its value: `password: …`, `API_KEY="…"`, `\"pass\":\"…\"`, `'pass' => '…'`. */
const separator = /(\\?(?:["']\]?)?\s{0,8})(?::|=(?![=>])|=>(?=\s*["']))\s{0,20}(?=[^\s`,;&<>])/g;
const value = new RegExp(`${quoted}|${bare}`, 'y');
const flag = new RegExp(String.raw`(?<![\w-])(--[a-z][\w-]{0,40})([ \t]+)(${quoted}|(?!-)${bare})`, 'gi');
const element = new RegExp(String.raw`(<(?:[\w:.-]{0,40}[.:_-])?(${secretName})>\s*)([^<\s]{4,})(?=\s*<\/)`, 'gi');
const netrc = /(\blogin\s+\S{1,200}\s+(?:account\s+\S{1,200}\s+)?password\s+)\S+/gi;
const userFlag =
  /(\b(?:curl|wget|https?|xh)\s(?:[^\n|;&]{0,200}?\s)?(?:-u|-U|--user|--proxy-user)[ =]?["']?[^\s:"'/]{1,100}:)[^\s"']{3,}/g;

/** Masks credentials in conversation text before it goes to a memory provider, a summary, an export or the log.
 *  Keeps prose and code about credentials readable: `token: string` is no secret. Takes time proportional to the text,
 *  about 0.1 s for a megabyte. Call it before the text is cut. */
export function maskSecrets(text: string): string {
  return masked(text, '[secret]');
}

function masked(text: string, mark: string): string {
  const known = knownKeys.masked(text, mark);
  const isPlain = (value: string): boolean => !isLiteral(value, mark);
  const line = (whole: string, name: string, between: string, value: string): string =>
    isPlain(value) ? whole : `${name}${between}${mark}`;
  const whole = formedTokens.reduce(
    (rest, [hint, token]) => (rest.includes(hint) ? rest.replace(token, mark) : rest),
    known.replace(prefixedToken, (token) => mark + ending(token)),
  );
  const shaped = withoutWebTokens(withoutSpans(whole, secretRules.find(whole), mark), mark)
    .replace(privateKey, mark)
    .replace(wordPrefixedToken, (token, afterWord: string | undefined, afterName: string | undefined) =>
      isToken(afterWord ?? '') || isRandom(afterName ?? '') ? mark + ending(token) : token,
    )
    .replace(bearer, `$1 ${mark}`)
    .replace(authorization, (whole, name: string, value: string) => (/\d/.test(value) ? `${name}${mark}` : whole))
    .replace(cookies, (_, name: string, values: string) => name + values.replace(/=[^\s;]{6,}/g, `=${mark}`))
    .replace(passwordInAddress, `$1${mark}@`);
  return withoutAssigned(shaped, mark)
    .replace(flag, (whole, name: string, between: string, value: string) =>
      namesSecret(name) ? line(whole, name, between, value) : whole,
    )
    .replace(element, (whole, begin: string, _name: string, value: string) =>
      isPlain(value) && !/\d/.test(value) ? whole : begin + mark,
    )
    .replace(netrc, `$1${mark}`)
    .replace(userFlag, `$1${mark}`);
}

/** Values that are no secret. */
const placeholder =
  /^["'\\]*(?:true|false|null|undefined|none|string|number|boolean|required|optional|your[-_ ].*|\*+|x+|\.+|\d[\d_]{0,7}|[\^~]?v?\d+(?:\.[\dx]+){1,3}(?:-[\w.]+)?)["'\\]*$/i;

/** Masks values whose names show that they are secrets. */
function withoutAssigned(text: string, mark: string): string {
  let result = '';
  let done = 0;
  separator.lastIndex = 0;
  for (let found = separator.exec(text); found !== null; found = separator.exec(text)) {
    const name = nameBefore(text, found.index);
    value.lastIndex = separator.lastIndex;
    const written = namesSecret(name) ? (value.exec(text)?.[0] ?? '') : '';
    if (!isAssigned(name, found[0], written, mark)) continue;
    result += text.slice(done, separator.lastIndex) + mark;
    done = separator.lastIndex += written.length;
  }
  return result + text.slice(done);
}

/** Name that ends there, of at most 60 characters; with the word before it where two are usual, as in `API key`. */
function nameBefore(text: string, end: number): string {
  const startOf = (from: number): number => {
    let at = from;
    while (at > 0 && from - at < 60 && /[\w.-]/.test(text[at - 1] ?? '')) at--;
    return at;
  };
  const start = startOf(end);
  const name = text.slice(start, end);
  return /^(?:key|string|token)s?$/i.test(name) && text[start - 1] === ' ' ? text.slice(startOf(start - 1), end) : name;
}

function isAssigned(name: string, between: string, written: string, mark: string): boolean {
  const text = written.replace(/^\W+|\W+$/g, '').toLowerCase();
  if (text === '' || name.toLowerCase().endsWith(text) || (isVague(name) && !isRandom(written))) return false;
  // `PGPASSWORD=letters`: a line of a shell or of variables.
  const isVariable = between === '=' && name === name.toUpperCase() && /^[\w-]+[^()[\]{}<>$]*$/.test(written);
  return isVariable ? !placeholder.test(written) : isLiteral(written, mark);
}

/** True for a quoted value, and for a bare one that cannot be a type, a variable or a call. A value that was masked
 *  in part is masked completely. */
function isLiteral(value: string, mark: string): boolean {
  if (value === mark || placeholder.test(value)) return false;
  if (/^\\?["']/.test(value))
    return !/^\\?["'](?:\$\{|\{\{|<|%[sd(]|\$[A-Z_])/.test(value) && !isSentence(value) && /\d|[^"'\\]{6}/.test(value);
  const rest = value.replaceAll(mark, '');
  return value.length >= 6 && (rest === value ? /\d/ : /\w/).test(rest) && !/[()[\]{}<>$]/.test(rest);
}

/** True for a text that people read, such as a label. */
function isSentence(value: string): boolean {
  return !/\d/.test(value) && (value.match(/[a-z]+\s/gi)?.length ?? 0) >= 2;
}

function withoutSpans(text: string, spans: readonly SecretSpan[], mark: string): string {
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
function withoutWebTokens(text: string, mark: string): string {
  return text.includes('eyJ') ? text.replace(dotted, (run) => withoutWebTokensInRun(run, mark)) : text;
}

function withoutWebTokensInRun(run: string, mark: string): string {
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

/** True for letters and digits without a separator, as names have none. */
function isRandom(run: string): boolean {
  return run.split(/[^A-Za-z0-9]/).some((part) => part.length >= 16 && /\d/.test(part) && /[a-z]/i.test(part));
}

function ending(run: string): string {
  let end = run.length;
  while (run[end - 1] === '.') end--;
  return run.slice(end);
}
