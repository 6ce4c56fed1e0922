import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock as clock } from '../../../base/clock';
import { errorMessage } from '../../../base/errorMessage';
import { idsFrom } from '../../../base/ids';
import type { Log } from '../../../base/log';
import { lazyBundle } from '../../../host/common/lazyBundle';
import { maskSecrets, secretRules } from '../../../models/secrecy/secrecy';
import type * as secretlint from '../../../models/secretlint/index';
import { openStore } from '../../../store/ownership/openStore';
import { storeFolderOf } from '../../../store/ownership/storeFolder';
import { isJsonObject } from '../../../transcript/json';
import { LineReader } from '../core/lineReader';
import { AgentServer, type ServedHistory } from './agentServer';
import { Headless } from './headless';
import { codes } from './served1';
import { editorData, ownFolder, userSettings, windowHistory } from './servedHome';
import { Refusal } from './servedSession';

/** Entry of `dist/hermes-agent.js`. Its standard output carries the protocol and nothing else. */
const help = `hermes-agent acp [options]

Runs the agent for a client of the Agent Client Protocol (Zed, JetBrains and others) over standard input and output.

  --store <folder>     keep the sessions in this folder. Default: where the window of VS Code keeps those of the
                       folder that the client works in, or else the program's own folder
  --own                use the program's own folder, also while a window has the history
  --model <ref>        model of new sessions, as "<provider>/<id>". Default: the setting, or else the demo model
  --settings <file>    settings to use. Default: the user settings of VS Code
  --user-data <folder> user data of the editor. Default: that of VS Code

API keys come from the environment: HERMES_KEY_<PROVIDER>, or for a service its usual variable (OPENROUTER_API_KEY,
ANTHROPIC_API_KEY, OPENAI_API_KEY …). Keys saved in VS Code cannot be read from here. The demo model needs none.
`;

const options = {
  store: { type: 'string' },
  own: { type: 'boolean' },
  model: { type: 'string' },
  settings: { type: 'string' },
  'user-data': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
} as const;

/** The protocol's way out. Anything else that writes to standard output ends up in standard error. */
const writeLine = process.stdout.write.bind(process.stdout);
const note = (line: string): void => void process.stderr.write(`${maskSecrets(line)}\n`);
const log: Log = {
  trace: () => undefined,
  info: note,
  warn: note,
  error: (message, error) => note(error === undefined ? message : `${message}: ${errorMessage(error)}`),
};

/** Milliseconds in which turns are settled when the client has gone. */
const closeTimeoutMs = 10_000;

async function main(): Promise<number> {
  const about: unknown = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8'));
  const version = isJsonObject(about) ? String(about['version']) : '';
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.version === true || values.help === true || positionals.join(' ') !== 'acp') {
    writeLine(values.version === true ? `${version}\n` : help);
    return values.version === true || values.help === true ? 0 : 2;
  }
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  for (const method of ['log', 'info', 'debug'] as const) console[method] = console.error;
  secretRules.from({
    load: lazyBundle<typeof secretlint, 'findSecrets'>(
      __dirname,
      { file: 'secretlint.js', name: 'secretlint' },
      'findSecrets',
    ),
    onFailure: (error) => note(`Secrets are masked by fewer rules: ${errorMessage(error)}`),
  });
  await serve(values, { about, version });
  return 0;
}

async function serve(
  values: { store?: string; own?: boolean; model?: string; settings?: string; 'user-data'?: string },
  { about, version }: { readonly about: unknown; readonly version: string },
): Promise<void> {
  const data = resolve(values['user-data'] ?? editorData(process.platform, process.env));
  const settings = userSettings(resolve(values.settings ?? join(data, 'User', 'settings.json')), {
    isNamed: values.settings !== undefined,
    about,
    warn: note,
  });
  const own = ownFolder(data);
  const folderFor = (cwd: string): string => {
    if (values.own === true) return own;
    if (values.store !== undefined) return resolve(values.store);
    if (settings.storagePath !== null)
      throw new Refusal(
        codes.internal,
        'The setting hermes.storage.path is set. Name the folder of the history with --store, or use --own.',
      );
    return windowHistory(data, cwd) ?? own;
  };
  const ids = idsFrom((count) => crypto.getRandomValues(new Uint8Array(count)));
  const histories = new Map<string, Promise<ServedHistory>>();
  const open = async (folder: string): Promise<ServedHistory> => {
    await mkdir(folder, { recursive: true });
    note(`Sessions are kept in ${folder}.`);
    const connection = openStore({ storageFolder: folder, workerEntry: join(__dirname, 'storeWorker.js'), clock, log });
    const environment = Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const headless = new Headless({
      store: connection.store,
      historyFolder: storeFolderOf(folder),
      distFolder: __dirname,
      editorData: data,
      memoryFolder: resolve(own, '..', '..'),
      settings,
      model: values.model ?? null,
      environment,
      version,
      clock,
      ids,
      log,
    });
    return { connection, headless };
  };
  const historyOf = async (cwd: string | null): Promise<ServedHistory> => {
    const folder = folderFor(cwd ?? process.cwd());
    const known = histories.get(folder) ?? open(folder);
    histories.set(folder, known);
    const history = await known;
    await history.connection.open();
    const { state } = history.connection;
    if (state.kind === 'open') return history;
    const reason =
      state.kind === 'elsewhere'
        ? `These sessions are open in ${state.owner}. Close it, or start this agent with --own to keep sessions in a ` +
          `folder of its own (${own}).`
        : 'error' in state
          ? state.error.message
          : 'The history is closed.';
    note(reason);
    throw new Refusal(codes.internal, reason);
  };
  const write = (line: string): Promise<void> =>
    new Promise((done, failed) => writeLine(`${line}\n`, (error) => (error ? failed(error) : done())));
  const server = new AgentServer({ historyOf, write, version, uid: () => ids.uid(), clock, warn: note });
  const lines = new LineReader((line) => void server.take(line));
  process.stdin.on('data', (bytes: Buffer) => lines.push(bytes));
  await new Promise<void>((gone) => {
    process.stdin.once('end', gone).once('error', () => gone());
    process.stdout.once('error', () => gone());
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => gone());
  });
  // A turn that does not settle in time is found and settled at the next start.
  setTimeout(() => process.exit(0), closeTimeoutMs).unref();
  await server.close();
  for (const history of histories.values()) await (await history).connection.store.close();
}

void main()
  .catch((error: unknown) => {
    note(errorMessage(error));
    return 2;
  })
  .then((code) => process.exit(code));
