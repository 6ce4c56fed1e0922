/** Version of the tables. A higher one on the server belongs to a newer Hermes. */
export const schemaVersion = 4;

/** Keys of conversations are random below this: numbers that JavaScript holds, and the index keeps two alike out. */
export const mostKeys = 2 ** 48;
/** Tails that the server keeps of a conversation. A machine that is further behind receives all of it. */
export const mostTails = 256;

/** The database's user, comparable with the column `person`. Without the collation PostgreSQL compares as in "C", and
 *  then neither an index nor partitions of the column help. */
export const currentPerson = 'current_user COLLATE "default"';

/** Tables of the server. Every row belongs to a person, who is the database's user, and to a history: the sessions of
 *  one project on all machines. Plain SQL that PostgreSQL and the databases that speak its protocol share. */
const tables = [
  `CREATE TABLE IF NOT EXISTS hermes_sync.layout (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  version INTEGER NOT NULL
)`,
  `CREATE TABLE IF NOT EXISTS hermes_sync.machines (
  person TEXT NOT NULL DEFAULT current_user,
  history TEXT NOT NULL,
  origin TEXT NOT NULL,
  name TEXT NOT NULL,
  incarnation TEXT,
  since TIMESTAMPTZ NOT NULL DEFAULT now(),
  seen_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  PRIMARY KEY (person, history, origin)
)`,
  // `changes` counts the changes of all conversations; `digest` is that of their heads.
  `CREATE TABLE IF NOT EXISTS hermes_sync.histories (
  person TEXT NOT NULL DEFAULT current_user,
  history TEXT NOT NULL,
  generation TEXT NOT NULL,
  changes BIGINT NOT NULL DEFAULT 0,
  digest BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (person, history)
)`,
  // `key`: a random number that stands for it in the tables of its bodies and tails. `change`: the number of its last
  // change. `tail` and `origin`: of its newest version.
  `CREATE TABLE IF NOT EXISTS hermes_sync.conversations (
  person TEXT NOT NULL DEFAULT current_user,
  history TEXT NOT NULL,
  conversation TEXT NOT NULL,
  key BIGINT NOT NULL,
  version BIGINT NOT NULL DEFAULT 0,
  tail TEXT,
  change BIGINT NOT NULL DEFAULT 0,
  origin TEXT,
  changed_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  fence BIGINT NOT NULL DEFAULT 0,
  holder TEXT,
  expires TIMESTAMPTZ,
  erased_at TIMESTAMPTZ,
  PRIMARY KEY (person, history, conversation)
)`,
  // What its documents hold.
  `CREATE TABLE IF NOT EXISTS hermes_sync.bodies (
  person TEXT NOT NULL DEFAULT current_user,
  key BIGINT NOT NULL,
  document TEXT NOT NULL,
  version BIGINT NOT NULL,
  body TEXT,
  changed_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  PRIMARY KEY (person, key, document)
)`,
  `CREATE INDEX IF NOT EXISTS bodies_version ON hermes_sync.bodies (person, key, version, document)`,
  // Tails of its last versions: they tell a version from one with the same number that the server lost.
  `CREATE TABLE IF NOT EXISTS hermes_sync.tails (
  person TEXT NOT NULL DEFAULT current_user,
  key BIGINT NOT NULL,
  version BIGINT NOT NULL,
  tail TEXT NOT NULL,
  PRIMARY KEY (person, key, version)
)`,
  // Documents of a sending that is not all there yet, in parts. Nobody reads them before.
  `CREATE TABLE IF NOT EXISTS hermes_sync.parts (
  person TEXT NOT NULL DEFAULT current_user,
  key BIGINT NOT NULL,
  sending TEXT NOT NULL,
  document TEXT NOT NULL,
  part INTEGER NOT NULL,
  body TEXT,
  sent_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  PRIMARY KEY (person, key, sending, document, part)
)`,
  // What a running turn shows, while another machine watches it.
  `CREATE TABLE IF NOT EXISTS hermes_sync.turns (
  person TEXT NOT NULL DEFAULT current_user,
  history TEXT NOT NULL,
  conversation TEXT NOT NULL,
  fence BIGINT NOT NULL,
  watched_until TIMESTAMPTZ NOT NULL,
  stop_asked BOOLEAN NOT NULL DEFAULT false,
  body TEXT,
  PRIMARY KEY (person, history, conversation)
)`,
  // Machines that have erased a conversation which was forgotten.
  `CREATE TABLE IF NOT EXISTS hermes_sync.erasures (
  person TEXT NOT NULL DEFAULT current_user,
  history TEXT NOT NULL,
  conversation TEXT NOT NULL,
  origin TEXT NOT NULL,
  PRIMARY KEY (person, history, conversation, origin)
)`,
  `CREATE TABLE IF NOT EXISTS hermes_sync.seals (
  person TEXT NOT NULL DEFAULT current_user,
  history TEXT NOT NULL,
  description TEXT NOT NULL,
  PRIMARY KEY (person, history)
)`,
] as const;

/** Layout 2 numbered what each machine sent; layout 3 named a conversation in each row of `documents` and `versions`. A
 *  client of one that is still connected misses a table, and finds the new layout. */
const changes = [
  ...[
    'tail TEXT',
    'change BIGINT NOT NULL DEFAULT 0',
    'origin TEXT',
    'changed_at TIMESTAMPTZ NOT NULL DEFAULT now()',
    'key BIGINT',
  ].map((column) => `ALTER TABLE hermes_sync.conversations ADD COLUMN IF NOT EXISTS ${column}`),
  'ALTER TABLE hermes_sync.machines ADD COLUMN IF NOT EXISTS incarnation TEXT',
  ...['writer', 'last'].map((column) => `ALTER TABLE hermes_sync.machines DROP COLUMN IF EXISTS ${column}`),
  'DROP TABLE IF EXISTS hermes_sync.sendings',
  'CREATE INDEX IF NOT EXISTS conversations_change ON hermes_sync.conversations (person, history, change)',
  // At once, and by one of the clients that come at the same time.
  `DO $$
BEGIN
  LOCK TABLE hermes_sync.conversations IN ACCESS EXCLUSIVE MODE;
  UPDATE hermes_sync.conversations SET key = floor(random() * ${mostKeys})::bigint WHERE key IS NULL;
  IF to_regclass('hermes_sync.documents') IS NOT NULL THEN
    INSERT INTO hermes_sync.bodies (person, key, document, version, body, changed_at)
      SELECT person, c.key, d.document, d.version, d.body, d.changed_at
      FROM hermes_sync.documents d JOIN hermes_sync.conversations c USING (person, history, conversation);
    DROP TABLE hermes_sync.documents;
  END IF;
  IF to_regclass('hermes_sync.versions') IS NOT NULL THEN
    INSERT INTO hermes_sync.tails (person, key, version, tail)
      SELECT person, c.key, v.version, v.tail
      FROM hermes_sync.versions v JOIN hermes_sync.conversations c USING (person, history, conversation)
      WHERE v.version > c.version - ${mostTails};
    DROP TABLE hermes_sync.versions;
  END IF;
  ALTER TABLE hermes_sync.conversations ALTER COLUMN key SET NOT NULL;
END $$`,
  // A client of an earlier layout makes rows without one, before it misses a table.
  `ALTER TABLE hermes_sync.conversations ALTER COLUMN key SET DEFAULT floor(random() * ${mostKeys})::bigint`,
  'CREATE UNIQUE INDEX IF NOT EXISTS conversations_key ON hermes_sync.conversations (person, key)',
];

/** Statements that make the tables, in order. Each may run again. */
export const schemaStatements: readonly string[] = [
  'CREATE SCHEMA IF NOT EXISTS hermes_sync',
  ...tables,
  ...changes,
  `INSERT INTO hermes_sync.layout (only_row, version) VALUES (1, ${schemaVersion})
   ON CONFLICT (only_row) DO UPDATE SET version = excluded.version WHERE layout.version < excluded.version`,
];

/** Returns the statements that an administrator runs for a user who may not create tables. */
export function schemaSql(user: string): string {
  const role = `"${user.replaceAll('"', '""')}"`;
  return [
    ...schemaStatements,
    `GRANT USAGE ON SCHEMA hermes_sync TO ${role}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hermes_sync TO ${role}`,
    '',
  ].join(';\n');
}
