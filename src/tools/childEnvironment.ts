import { maskSecrets } from '../models/secrecy/secrecy';

/** Names of variables that hold credentials, by the words in them. */
const secretWords =
  /(?:^|_)(?:KEY|APIKEY|TOKEN|SECRETS?|PASS|PASSPHRASE|CREDENTIALS?|AUTH|PAT|COOKIE|DSN)(?:$|_)|PASSWORD|PASSWD|_PWD$|API_?KEY|ACCESS_?KEY|AUTH_?TOKEN|CONNECTION_?STRING|WEBHOOK/i;
/** Addresses of services that are usually written with user and password. */
const serviceAddresses =
  /^(?:DATABASE|DB|POSTGRES(?:QL)?|PG|MYSQL|MARIADB|MONGO(?:DB)?|REDIS|AMQP|RABBITMQ|CELERY_BROKER|BROKER|ELASTICSEARCH|CLICKHOUSE|SMTP|MAILER?)_(?:URL|URI)$|_DATABASE_UR[LI]$/i;
/** Addresses of sockets and the like, whose names have such a word in them. */
const harmless = /^(?:SSH_AUTH_SOCK|XAUTHORITY|KEYBOARD_LAYOUT)$/i;

/** Whether a variable holds a credential: by its name, or by its value (the shape of a known token, a password in an address). */
export function isCredential(name: string, value: string): boolean {
  if (harmless.test(name)) return false;
  return secretWords.test(name) || serviceAddresses.test(name) || maskSecrets(value) !== value;
}

/** An environment for a process that others wrote or decide about. Variables without a value are left out too. */
export function withoutCredentials(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment))
    if (value !== undefined && !isCredential(name, value)) kept[name] = value;
  return kept;
}
