// Our own rules, used in addition to secretlint's. Its rules need whole tokens of an exact length. Ours also match cut
// tokens, and those of services that it has no rule for. They are also the only rules if secretlint cannot be loaded.

/** Beginnings of tokens that mean nothing else. What follows has at least ten characters. */
const prefixes =
  'gh[pousr]_|github_pat_|gl(?:dt|rt|ptt|pat|cbt|imt|ft|soat|agent|oas|rtr|ffct)-|ATATT3|ATCTT3|bkua_|CCIPAT_|' +
  'CCIPRJ_|dckr_[po]at_|rubygems_|CLOJARS_|AIza|ya29\\.|GOCSPX-|1//0|do[opr]_v1_|hv[sbr]\\.|' +
  'dapi(?=[0-9a-f]{16})|glsa_|' +
  'sntry[su]_|NR(?:AK|JS|II|AA|RA)-|HRKU-|FlyV1 |sb_secret_|pscale_(?:tkn|pw|oauth)_|tskey-|dt0c01\\.|ops_eyJ|' +
  'dp\\.(?:pt|st|ct|scim|audit)\\.|PMAK-|CFPAT-|pat-(?:na|eu)\\d-|lin_(?:api|oauth)_|shp(?:at|ca|pa|ss)_|' +
  'xkeysib-|xsmtpsib-|SG\\.|whsec_|sq0(?:atp|csp|idp)-|FLWSECK|access_token\\$|duffel_(?:test|live)_|' +
  'shippo_(?:test|live)_|lsv2_(?:pt|sk)_|AGE-SECRET-KEY-1|xox[abeoprs][.-]|xapp-|pypi-|' +
  '(?:AKIA|ASIA|ABIA|ACCA)(?=[A-Z0-9]{16}\\b)|(?:ATTA|EAA[AC]|EZ[AT]K|AKCp|ABSK|AQVN|cmVmdGtu|oy2|cio)(?=\\w{28})|' +
  '(?:ATBB|LTAI|AKID|DO00|GR1348941)(?=[A-Za-z0-9]{12})';

/** Beginnings that are also words: what follows counts as a token if it has a digit. Of these, secretlint knows npm,
 *  OpenAI and Anthropic, if they are whole. */
const wordPrefixes = 'sk|gsk|xai|pk|rk|nvapi|hf|csk|fw|tgp_v1|glpat|npm';

/** Beginnings that names in programs have too: what follows has 16 letters and digits without a separator. */
const namePrefixes =
  'secret|re|fc|pa|key|ak|as|api(?:_org)?|or|ant|glc|rnd|nf[pocbu]|sbp|sbs|napi|f[om]\\d|pul|fig[do]|ntn|rdme|' +
  'sgp|pnu|tfp|ph[cx]|aio|ico|fio-u|jina|pplx|r8|tvly|pcsk';

const tail = '[A-Za-z0-9_.+/=-]';

export const prefixedToken = new RegExp(String.raw`(?<![A-Za-z0-9])(?:${prefixes})${tail}{10,}`, 'g');
/** The groups are what follows a word, and what follows a beginning of names. */
export const wordPrefixedToken = new RegExp(
  String.raw`\b(?:(?:${wordPrefixes})[-_]([A-Za-z0-9_.-]{12,})|(?:${namePrefixes})[-_]([A-Za-z0-9_.-]{16,}))`,
  'g',
);
/** Tokens of Telegram, Mailchimp, Mailgun, Azure, Terraform and wallets, each with a text that it contains; then those
 *  of Discord, Twilio and Airtable. */
export const formedTokens: readonly (readonly [string, RegExp])[] = [
  [':AA', /\b\d{8,10}:AA[\w-]{32,}/g],
  ['-us', /\b[0-9a-f]{32}-us\d{1,2}\b/g],
  ['key-', /\bkey-[0-9a-f]{32}\b/g],
  ['8Q~', /(?<=[\w~.-]{3})8Q~[\w~.-]{31,}/g],
  ['.atlasv1.', /\.atlasv1\.[\w-]{60,}/g],
  ['xprv', /\bxprv[0-9A-Za-z]{90,}/g],
  ['', /\b(?:[MNO][A-Za-z\d]{23,25}\.[\w-]{6}\.[\w-]{27,}|SK[0-9a-f]{32}\b|pat[A-Za-z0-9]{14}\.[0-9a-f]{64})/g],
];

const sureKeys = '(?:api|access|secret|private|admin|account|master|encrypt(?:ion)?|sign(?:ing)?)[-_. ]?keys?';
/** Ends of names that mean a secret, also without a separator before them. */
const longNames =
  `pass(?:word|wd|wort|phrase|code)|secrets?|tokens?|credentials?|connection[-_]?strings?|${sureKeys}|` +
  '(?:service|storage|auth|client|app|license|subscription|deploy|bot|session|hmac|consumer|shared)[-_. ]?keys?';
/** Ends of names that mean a secret if a word begins there. */
const shortNames = 'pass|pwd|pw|pat|creds?|jwt|dsn|cookie|webhook(?:[-_]?url)?|auth|sig(?:nature)?|(?<=[-_])key|otp';

/** End of a name, as text of an expression. */
export const secretName = `(?:${longNames}|${shortNames})`;

const sureKey = new RegExp(`${sureKeys}$`, 'i');
const long = new RegExp(`(?:${longNames})$`, 'i');
const short = new RegExp(`(?:${shortNames})$`, 'i');
/** Ends of names that only look so. */
const harmless =
  /(?:max|min|num|total|input|output|prompt|completion|cached|context|reasoning|new|used)[-_ ]?tokens?$|(?:public|primary|foreign|cache|sort|partition|idempotency|row|hash|map|object|group|query|route|react|translation|registry|host|hot)[-_ ]?keys?$|(?:by|com|sur|tres|under|over)pass$|^_?(?:ssh_auth_sock|xauthority|keyboard_layout)$/i;

/** True when the name of a variable, a field or a flag says that its value is a secret. */
export function namesSecret(name: string): boolean {
  if (harmless.test(name) || /^_?(?:OLD)?PWD$/.test(name)) return false;
  if (long.test(name)) return true;
  const found = short.exec(name);
  if (found === null) return false;
  const [before, first] = [name[found.index - 1] ?? '_', found[0][0] ?? ''];
  // `dbPass` and `DBPASS`, but not `bypass`.
  return !/[A-Za-z]/.test(before) || (/[A-Z]/.test(first) && (/[a-z]/.test(before) || name === name.toUpperCase()));
}

/** True when the value must look random too: a key and a signature may be anything. */
export function isVague(name: string): boolean {
  return /(?:keys?|sig|signature)$/i.test(name) && !sureKey.test(name);
}

/** Service addresses that usually contain user and password. */
const addresses =
  /^(?:DATABASE|DB|POSTGRES(?:QL)?|PG|MYSQL|MARIADB|MONGO(?:DB)?|REDIS|AMQP|RABBITMQ|CELERY_BROKER|BROKER|ELASTICSEARCH|CLICKHOUSE|SMTP|MAILER?)_(?:URL|URI)$|_DATABASE_UR[LI]$/i;

/** True when a variable of the environment holds a credential, by its name alone. */
export function isSecretVariable(name: string): boolean {
  // More may follow the word: `TOKEN_FILE`.
  const begins = [...name.matchAll(/(?=_|$)/g)].map(({ index }) => `_${name.slice(0, index)}`);
  return !harmless.test(name) && (addresses.test(name) || begins.some(namesSecret));
}
