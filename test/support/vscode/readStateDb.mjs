/** Prints the rows of one SELECT as JSON. Run by Node 24, whose `node:sqlite` is a SQLite build that shares nothing with ours. */
import { DatabaseSync } from 'node:sqlite';

const [file, sql, parameters] = process.argv.slice(2);
const database = new DatabaseSync(file);
const rows = database.prepare(sql).all(...JSON.parse(parameters));
const blobsAsHex = (_name, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value);
process.stdout.write(JSON.stringify(rows, blobsAsHex));
database.close();
