/**
 * A small MCP server over stdio, written against the protocol and not against a library, that does what tests need: many tools in pages, tools with
 * schemas no model could be offered, a call that never ends, a death in the middle of a call, a child of its own, a list that changes.
 * Options come in SCRIPTED (JSON): { tools, pageSize, child, stubborn, silent, journal, odd, mark }. `odd`: { tools: listed as they are, results: { <tool>: the
 * result as it is, or { error } } }. `offers`: { <method of prompts and resources>: its result }. `mark`: begins with a byte order mark. `textIds`:
 * sends ids back as text.
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const {
  tools = 0,
  pageSize = 50,
  child = false,
  stubborn = false,
  silent = false,
  journal = null,
  odd = { tools: [], results: {} },
  offers = null,
  mark = false,
  textIds = false,
} = JSON.parse(process.env.SCRIPTED ?? '{}');
const note = (entry) => journal === null || appendFileSync(journal, `${JSON.stringify(entry)}\n`);
note({ started: process.pid, environment: process.env });
if (child) {
  const grandchild = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], {
    stdio: 'inherit',
  });
  note({ child: grandchild.pid });
}
if (stubborn) {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1000);
}
process.stderr.write('scripted server is up, token: "abcdef-secret-123456"\n');

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const object = { type: 'object', properties: {} };
const own = [
  { name: 'pid', description: 'Its process.', inputSchema: object, annotations: { readOnlyHint: true } },
  { name: 'hang', description: 'Never answers.', inputSchema: object },
  { name: 'die', description: 'Ends the process before it answers.', inputSchema: object },
  { name: 'more', description: 'From now on there is one more tool.', inputSchema: object },
  { name: 'huge', description: 'A result that is far too long.', inputSchema: object },
  { name: 'a.b', description: 'A name that collides.', inputSchema: object },
  { name: 'a b', description: 'A name that collides.', inputSchema: object },
  { name: 'a_b', description: 'A name that collides.', inputSchema: object },
];
const all = [
  ...own,
  ...odd.tools,
  ...Array.from({ length: tools }, (_, index) => ({
    name: `tool_${String(index).padStart(3, '0')}`,
    description: 'One of many.',
    inputSchema: object,
  })),
];

if (mark) process.stdout.write('\ufeff');
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const calls = {
  pid: () => text(String(process.pid)),
  hang: () => null,
  die: () => process.exit(7),
  more: () => {
    all.push({ name: 'newcomer', description: 'Came later.', inputSchema: object });
    send({ method: 'notifications/tools/list_changed' });
    return text('done');
  },
  huge: () => text('x'.repeat(300_000)),
};
const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, ...(offers === null ? {} : { prompts: {}, resources: {} }) },
    serverInfo: { name: 'scripted', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': ({ cursor } = {}) => {
    const from = Number(cursor ?? 0);
    const next = from + pageSize;
    return { tools: all.slice(from, next), ...(next < all.length ? { nextCursor: String(next) } : {}) };
  },
  'tools/call': ({ name }) =>
    name in odd.results ? odd.results[name] : (calls[name] ?? (() => text(`${name} ran`)))(),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id: given, method, params } = JSON.parse(line);
  const id = textIds && given !== undefined ? String(given) : given;
  if (method.startsWith('notifications/') || method === 'tools/call') note({ method, params });
  if (id === undefined || silent) return;
  const result = offers?.[method] === undefined ? methods[method] : () => offers[method];
  if (result === undefined) return send({ id, error: { code: -32601, message: `no method ${method}` } });
  const value = result(params);
  if (value !== null) send(value.error === undefined ? { id, result: value } : { id, error: value.error });
});
