/** Starts a PostgreSQL on this machine to try out *Set Up Sync…* with. It keeps its data until the folder is deleted.
 *  Ctrl+C stops it. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { startPostgres, tryOutFolder } from './postgresServer.mjs';

const secretFile = path.join(tryOutFolder, 'connection.json');
fs.mkdirSync(tryOutFolder, { recursive: true });
const known = fs.existsSync(secretFile) ? JSON.parse(fs.readFileSync(secretFile, 'utf8')) : null;
const password = known?.password ?? randomBytes(12).toString('base64url');
const server = await startPostgres({ folder: tryOutFolder, password, port: known?.port ?? null });
fs.writeFileSync(secretFile, JSON.stringify({ password, port: server.port }), { mode: 0o600 });
console.log(
  `PostgreSQL runs. Run “Hermes: Storage and History… › Set Up Sync…” and enter:\n\n  ${server.url()}\n\n` +
    `Ctrl+C stops it. Its data ` +
    `stays in ${tryOutFolder}.`,
);
let isEnding = false;
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    if (isEnding) return;
    isEnding = true;
    void server.stop().then(() => process.exit(0));
  });
setInterval(() => undefined, 60_000);
