/**
 * An example of Hermes' public API, used by the tests: a memory provider named `memory-log`. It writes a line of JSON for every call it gets and
 * for every event of the API, into the file that HERMES_MEMORY_LOG names, or into `memory.jsonl` in its own storage. HERMES_MEMORY_DELAY is how
 * long each call takes, in milliseconds.
 */
// eslint-disable-next-line @typescript-eslint/no-require-imports -- an unbundled extension is CommonJS
const fs = require('node:fs');
// eslint-disable-next-line @typescript-eslint/no-require-imports
const path = require('node:path');
// eslint-disable-next-line @typescript-eslint/no-require-imports
const vscode = require('vscode');

const delayMs = Number(process.env.HERMES_MEMORY_DELAY ?? 0);

/** @param {import('vscode').ExtensionContext} context */
exports.activate = async (context) => {
  /** @type {import('vscode').Extension<import('../../../../src/features/api/core/hermes').HermesExtension> | undefined} */
  const extension = vscode.extensions.getExtension('hermes-vscode.hermes-vscode');
  const hermes = (await extension?.activate())?.getApi(1);
  if (hermes === undefined) return;
  const file = process.env.HERMES_MEMORY_LOG ?? path.join(context.globalStorageUri.fsPath, 'memory.jsonl');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const write = (/** @type {object} */ line) =>
    fs.appendFileSync(file, `${JSON.stringify({ window: process.pid, ...line })}\n`);

  let agents = 0;
  const registration = hermes.registerMemoryProvider({ name: 'memory-log', create: () => provider(++agents, write) });
  write({ event: 'registered', isChosen: registration.isChosen });
  context.subscriptions.push(
    registration,
    hermes.onDidSwitchSession((event) => write({ event: 'switched', ...event })),
    hermes.onDidChangeSessions(({ sessionIds }) => write({ event: 'changed', sessionIds })),
    hermes.onTurnEvent((event) => write(turnLine(event))),
    // What a broken neighbour does touches nobody else.
    hermes.onTurnEvent(() => {
      throw new Error('This listener is broken.');
    }),
  );
};

/**
 * @param {number} agent
 * @param {(line: object) => void} write
 * @returns {import('../../../../src/features/api/core/hermes').MemoryProvider}
 */
function provider(agent, write) {
  const note = async (/** @type {string} */ call, /** @type {object} */ what) => {
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    write({ agent, call, ...what });
  };
  return {
    initialize: (sessionId, _signal, { parentSessionId }) => note('initialize', { sessionId, parentSessionId }),
    syncTurn: (turn) =>
      note('sync', { sessionId: turn.sessionId, turnId: turn.turnId, prompt: turn.prompt, answer: turn.answer }),
    onSessionEnd: (sessionId) => note('end', { sessionId }),
    onSessionSwitch: (sessionId, change) => note('switch', { sessionId, ...change }),
    onSessionForgotten: async (sessionIds) => {
      await note('forget', { sessionIds });
      return null;
    },
    shutdown: () => note('shutdown', {}),
    prefetch: (query) => (query.includes('remember') ? '- the log remembers everything' : ''),
  };
}

/** @param {import('../../../../src/features/api/core/hermes').TurnEvent} event */
function turnLine(event) {
  const { kind, sessionId } = event;
  switch (kind) {
    case 'opened':
      return { event: kind, sessionId, turnId: event.turn.id, prompt: textOf(event.prompt) };
    case 'delivered':
      return { event: kind, sessionId, turnId: event.turnId, text: event.chunks.map(({ text }) => text).join('') };
    case 'settled':
      return { event: kind, sessionId, turnId: event.turn.id, stopReason: event.turn.stopReason };
    default:
      return { event: kind, sessionId };
  }
}

/** @param {import('../../../../src/features/api/core/hermes').Message} message */
function textOf({ parts }) {
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}
