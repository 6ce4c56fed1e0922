// Our own rules, used in addition to secretlint's. Its rules need whole tokens of an exact length. Ours also match cut
// tokens, and those of services that it has no rule for. They are also the only rules if secretlint cannot be loaded.

/** Beginnings of tokens that mean nothing else. What follows has at least ten characters. */
const prefixes: readonly string[] = [
  ...['gh[pousr]_', 'github_pat_', 'gl(?:dt|rt|ptt|pat|cbt|imt|ft|soat|agent|oas|rtr|ffct)-', 'GR1348941', 'ATBB'],
  ...[
    'ATATT3',
    'ATCTT3',
    'ATTA',
    'ATOA',
    'bkua_',
    'CCIPAT_',
    'CCIPRJ_',
    'dckr_[po]at_',
    'rubygems_',
    'CLOJARS_',
    'oy2',
  ],
  ...[
    'AIza',
    'ya29\\.',
    'GOCSPX-',
    '1//0',
    'do[opr]_v1_',
    'DO00',
    'hv[sbr]\\.',
    'dapi(?=[0-9a-f])',
    'gl(?:sa|c)_',
    'sntry[su]_',
  ],
  ...['NR(?:AK|JS|II|AA|RA)-', 'HRKU-', 'Fly(?:V1 )?', 'f[om]\\d_', 'rnd_', 'nf[pocbu]_', 'sb[ps]_', 'sb_secret_'],
  ...['pscale_(?:tkn|pw|oauth)_', 'napi_', 'tskey-', 'dp\\.(?:pt|st|ct|scim|audit)\\.', 'dt0c01\\.', 'pul-', 'ops_eyJ'],
  ...[
    'PMAK-',
    'fig[do]_',
    'ntn_',
    'CFPAT-',
    'pat-(?:na|eu)\\d-',
    'lin_(?:api|oauth)_',
    'shp(?:at|ca|pa|ss)_',
    'xkeysib-',
  ],
  ...[
    'xsmtpsib-',
    'SG\\.',
    'whsec_',
    'sq0(?:atp|csp|idp)-',
    'EAAA',
    'EAAC',
    'FLWSECK',
    'access_token\\$',
    'duffel_(?:test|live)_',
  ],
  ...[
    'shippo_(?:test|live)_',
    'EZ[AT]K',
    'rdme_',
    'sgp_',
    'pnu_',
    'tfp_',
    'ph[cx]_',
    'aio_',
    'ico-',
    'fio-u-',
    'jina_',
  ],
  ...[
    'pplx-',
    'r8_',
    'tvly-',
    'lsv2_(?:pt|sk)_',
    'pcsk_',
    'api_org_',
    'AGE-SECRET-KEY-1',
    'AKCp',
    'LTAI',
    'AKID',
    'cmVmdGtu',
  ],
  ...[
    'xox[abeoprs][.-]',
    'xapp-',
    'pypi-',
    '(?:AKIA|ASIA|ABIA|ACCA)(?=[A-Z0-9]{16}\\b)',
    'ABSK',
    'EZ[AT]K',
    'AQVN',
    'cio[A-Z]',
  ],
];

/** Beginnings of tokens that are also words: the text after one counts as a key if it has a digit. */
const wordPrefixes = 'sk|gsk|xai|pk|rk|nvapi|hf|csk|fw|tgp_v1|glpat|npm|secret|re|fc|pa|key|ak|as|api|or|ant';

const tail = '[A-Za-z0-9_.+/=-]';

export const prefixedToken = new RegExp(String.raw`(?<![A-Za-z0-9])(?:${prefixes.join('|')})${tail}{10,}`, 'g');
/** Of these, secretlint knows npm, OpenAI and Anthropic, if they are whole. */
export const wordPrefixedToken = new RegExp(String.raw`\b(?:${wordPrefixes})[-_]([A-Za-z0-9_.-]{12,})`, 'g');
/** Tokens of Telegram, Discord, Mailgun, Twilio, Mailchimp, Azure, Terraform, Airtable, wallets, by their form. */
export const formedToken = new RegExp(
  [
    String.raw`\b\d{8,10}:AA[\w-]{32,}`,
    String.raw`\b[MNO][A-Za-z\d]{23,25}\.[\w-]{6}\.[\w-]{27,}`,
    String.raw`\bkey-[0-9a-f]{32}\b`,
    String.raw`\bSK[0-9a-f]{32}\b`,
    String.raw`\b[0-9a-f]{32}-us\d{1,2}\b`,
    String.raw`\b[\w~.-]{3}8Q~[\w~.-]{31,}`,
    String.raw`\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}`,
    String.raw`\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}`,
    String.raw`\bxprv[0-9A-Za-z]{90,}`,
  ].join('|'),
  'g',
);

/** Ends of names that mean a secret, also without a separator before them. */
const longNames =
  'pass(?:word|wd|wort|phrase|code)|secrets?|tokens?|credentials?|api[-_. ]?keys?|connection[-_]?strings?|' +
  '(?:access|secret|private|admin|account|master|encrypt(?:ion)?|sign(?:ing)?|shared[-_]?access|service|storage|' +
  'auth|client|app|license|subscription|deploy|bot|session|hmac|consumer|shared|management|integration)[-_. ]?keys?';
/** Ends of names that mean a secret if a word begins there. */
const shortNames = 'pass|pwd|pat|creds?|jwt|dsn|cookie|webhook(?:[-_]?url)?|auth|sig(?:nature)?|(?<=[-_])key|otp';

/** End of a name, as text of an expression. */
export const secretName = `(?:${longNames}|${shortNames})`;

const long = new RegExp(`(?:${longNames})$`, 'i');
const short = new RegExp(`(?:${shortNames})$`, 'i');
/** Ends of names that only look so. */
const harmless =
  /(?:max|min|num|total|input|output|prompt|completion|cached|context|reasoning|new|used)[-_ ]?tokens?$|(?:public|primary|foreign|cache|sort|partition|idempotency|row|hash|map|object|group|query|route|react|translation|registry|host|hot)[-_ ]?keys?$|(?:by|com|sur|tres|under|over)pass$|^(?:ssh_auth_sock|xauthority|keyboard_layout)$/i;

/** True when the name of a variable, a field or a flag says that its value is a secret. */
export function namesSecret(name: string): boolean {
  if (harmless.test(name) || /^(?:OLD)?PWD$/.test(name)) return false;
  if (long.test(name)) return true;
  const found = short.exec(name);
  if (found === null) return false;
  const [before, first] = [name[found.index - 1] ?? '_', found[0][0] ?? ''];
  // `dbPass` and `DBPASS`, but not `bypass`.
  return !/[A-Za-z]/.test(before) || (/[A-Z]/.test(first) && (/[a-z]/.test(before) || name === name.toUpperCase()));
}

/** Words in names of variables after which more may follow: `TOKEN_FILE`, `NPM_CONFIG__AUTHTOKEN`. */
const words =
  /(?:^|_)(?:KEY|APIKEY|TOKEN|SECRETS?|PASS|PASSPHRASE|CREDENTIALS?|AUTH|PAT|COOKIE|DSN|JWT)(?:$|_)|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|AUTH_?TOKEN|CONNECTION_?STRING|WEBHOOK/i;
/** Service addresses that usually contain user and password. */
const addresses =
  /^(?:DATABASE|DB|POSTGRES(?:QL)?|PG|MYSQL|MARIADB|MONGO(?:DB)?|REDIS|AMQP|RABBITMQ|CELERY_BROKER|BROKER|ELASTICSEARCH|CLICKHOUSE|SMTP|MAILER?)_(?:URL|URI)$|_DATABASE_UR[LI]$/i;

/** True when a variable of the environment holds a credential, by its name alone. */
export function isSecretVariable(name: string): boolean {
  return !harmless.test(name) && (words.test(name) || addresses.test(name) || namesSecret(name));
}
