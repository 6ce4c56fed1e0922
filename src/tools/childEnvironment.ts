import { maskSecrets } from '../models/secrecy/secrecy';

/** Words in names of variables that hold credentials. */
const secretWords =
  /(?:^|_)(?:KEY|APIKEY|TOKEN|SECRETS?|PASS|PASSPHRASE|CREDENTIALS?|AUTH|PAT|COOKIE|DSN)(?:$|_)|PASSWORD|PASSWD|_PWD$|API_?KEY|ACCESS_?KEY|AUTH_?TOKEN|CONNECTION_?STRING|WEBHOOK/i;
/** Service addresses that usually contain user and password. */
const serviceAddresses =
  /^(?:DATABASE|DB|POSTGRES(?:QL)?|PG|MYSQL|MARIADB|MONGO(?:DB)?|REDIS|AMQP|RABBITMQ|CELERY_BROKER|BROKER|ELASTICSEARCH|CLICKHOUSE|SMTP|MAILER?)_(?:URL|URI)$|_DATABASE_UR[LI]$/i;
/** Names that contain such a word but hold no credential, such as socket addresses. */
const harmless = /^(?:SSH_AUTH_SOCK|XAUTHORITY|KEYBOARD_LAYOUT)$/i;

/** True when a variable holds a credential: by its name, or by its value (the shape of a known token, a password in
 *  an address). */
function isCredential(name: string, value: string): boolean {
  if (harmless.test(name)) return false;
  return secretWords.test(name) || serviceAddresses.test(name) || maskSecrets(value) !== value;
}

/** Environment for a third-party process. Drops credentials and variables without a value. */
export function withoutCredentials(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment))
    if (value !== undefined && !isCredential(name, value)) kept[name] = value;
  return kept;
}
