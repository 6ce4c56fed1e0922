/** Version of the tables. A higher one on the server belongs to a newer Hermes. */
export const schemaVersion = 3;

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
  // `change`: the number of its last change. `tail` and `origin`: of its newest version.
  `CREATE TABLE IF NOT EXISTS hermes_sync.conversations (
  person TEXT NOT NULL DEFAULT current_user,
  history TEXT NOT NULL,
  conversation TEXT NOT NULL,
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
  `CREATE TABLE IF NOT EXISTS hermes_sync.documents (
  person TEXT NOT NULL DEFAULT current_user,
  history TEXT NOT NULL,
  conversation TEXT NOT NULL,
  document TEXT NOT NULL,
  version BIGINT NOT NULL,
  body TEXT,
  changed_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  PRIMARY KEY (person, history, conversation, document)
)`,
  `CREATE INDEX IF NOT EXISTS documents_version ON hermes_sync.documents (person, history, conversation, version)`,
  // Tails of all versions: they tell a version from one with the same number that the server lost.
  `CREATE TABLE IF NOT EXISTS hermes_sync.versions (
  person TEXT NOT NULL DEFAULT current_user,
  history TEXT NOT NULL,
  conversation TEXT NOT NULL,
  version BIGINT NOT NULL,
  tail TEXT NOT NULL,
  PRIMARY KEY (person, history, conversation, version)
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

/** Layout 2 numbered what each machine sent. A client of it that is still connected fails, and finds the new layout. */
const changes = [
  ...[
    'tail TEXT',
    'change BIGINT NOT NULL DEFAULT 0',
    'origin TEXT',
    'changed_at TIMESTAMPTZ NOT NULL DEFAULT now()',
  ].map((column) => `ALTER TABLE hermes_sync.conversations ADD COLUMN IF NOT EXISTS ${column}`),
  'ALTER TABLE hermes_sync.machines ADD COLUMN IF NOT EXISTS incarnation TEXT',
  ...['writer', 'last'].map((column) => `ALTER TABLE hermes_sync.machines DROP COLUMN IF EXISTS ${column}`),
  'DROP TABLE IF EXISTS hermes_sync.sendings',
  'CREATE INDEX IF NOT EXISTS conversations_change ON hermes_sync.conversations (person, history, change)',
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
