/** A small MCP server over stdio that does what it is told on the machine it runs on, and says how that went. Its words, folder and variables can be asked for. */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';

const object = { type: 'object', properties: {} };
const probes = {
  self: () => JSON.stringify({ words: process.argv.slice(2), folder: process.cwd(), environment: process.env }),
  read: ({ path }) => readFileSync(path, 'utf8'),
  write: ({ path, text }) => (mkdirSync(dirname(path), { recursive: true }), writeFileSync(path, text), 'written'),
  reach: ({ port }) =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('data', (said) => (socket.destroy(), resolve(said.toString())));
      socket.once('error', reject);
    }),
  run: ({ command }) =>
    new Promise((resolve) => {
      const child = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (piece) => (output += piece));
      child.once('close', () => resolve(output));
    }),
  // It outlives its parent and listens to nothing; the file says that it still runs.
  leave: ({ path }) => {
    const beat = `process.on('SIGTERM', () => {}); setInterval(() => require('node:fs').appendFileSync(${JSON.stringify(path)}, '.'), 20)`;
    spawn(process.execPath, ['-e', beat], { stdio: 'ignore', detached: true }).unref();
    return 'left';
  },
};

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const failure = (error) => ({
  isError: true,
  content: [{ type: 'text', text: `failed: ${error.code ?? error.message}` }],
});
const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'probing', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: Object.keys(probes).map((name) => ({ name, description: '', inputSchema: object })) }),
  'tools/call': ({ name, arguments: given }) =>
    Promise.resolve()
      .then(() => probes[name](given))
      .then((text) => ({ content: [{ type: 'text', text }] }), failure),
};
if (process.env.JOURNAL !== undefined) appendFileSync(process.env.JOURNAL, `${process.pid}\n`);

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || methods[method] === undefined) return;
  Promise.resolve(methods[method](params)).then((result) => send({ id, result }));
});
