/**
 * An agent that speaks version 1 of the Agent Client Protocol over its standard streams and does what it is told. Each
 * prompt is a script: a JSON array of steps (see `run`). What it is like is in ACP_QUIRKS, and what it remembers in the
 * file ACP_DISK, so that it can be killed and started again. It writes lines as it likes: whole, cut, unknown, wrong.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const quirks = JSON.parse(process.env.ACP_QUIRKS ?? '{}');
const disk = process.env.ACP_DISK;
const remembered =
  disk !== undefined && existsSync(disk) ? JSON.parse(readFileSync(disk, 'utf8')) : { sessions: {}, log: [] };
/** The prompt that runs, by session. */
const running = new Map();
const answers = new Map();
let requests = 0;

const save = () => disk !== undefined && writeFileSync(disk, JSON.stringify(remembered));
const note = (entry) => (remembered.log.push(entry), save());
const write = (text) => new Promise((resolve) => process.stdout.write(text, resolve));
const send = (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const update = (sessionId, news) => send({ method: 'session/update', params: { sessionId, update: news } });
const chunk = (kind, text, messageId) => ({
  sessionUpdate: kind,
  content: { type: 'text', text },
  ...(messageId === undefined ? {} : { messageId }),
});

function ask(method, params, id = `ask-${++requests}`) {
  void send({ id, method, params });
  return new Promise((resolve) => answers.set(id, resolve));
}

const textOf = (prompt) => prompt.map((block) => block.text ?? block.resource?.text ?? `<${block.type}>`).join('');

/** The script in a prompt: its last part that is one. Anything else is answered with its own words. */
function scriptOf(prompt) {
  for (const block of [...prompt].reverse()) {
    try {
      const steps = JSON.parse(block.text);
      if (Array.isArray(steps)) return steps;
    } catch {
      continue;
    }
  }
  return [{ say: `echo: ${textOf(prompt)}` }];
}

/** Does the steps. Resolves with the answer to the prompt, or null when there is none. */
async function run(sessionId, steps, turn) {
  for (const step of steps) {
    if (turn.cancelled && !step.evenIfCancelled) return { stopReason: quirks.cancelAnswer ?? 'cancelled' };
    if (step.say !== undefined) {
      await update(sessionId, chunk('agent_message_chunk', step.say, step.id));
      turn.answer += step.say;
    }
    if (step.think !== undefined) await update(sessionId, chunk('agent_thought_chunk', step.think, step.id));
    /** Numbered words, in chunks of one. */
    if (step.words !== undefined)
      for (let word = step.from ?? 1; word < (step.from ?? 1) + step.words; word++) {
        if (turn.cancelled && !step.evenIfCancelled) break;
        turn.answer += `w${word} `;
        await update(sessionId, chunk('agent_message_chunk', `w${word} `, step.id));
        if (step.everyMs !== undefined) await pause(step.everyMs);
      }
    /** Many chunks and the answer in one write. */
    if (step.burst !== undefined) {
      const lines = Array.from({ length: step.burst }, (_, index) =>
        JSON.stringify({
          jsonrpc: '2.0',
          method: 'session/update',
          params: { sessionId, update: chunk('agent_message_chunk', `w${index + 1} `) },
        }),
      );
      await write(
        `${[...lines, JSON.stringify({ jsonrpc: '2.0', id: turn.id, result: { stopReason: 'end_turn' } })].join('\n')}\n`,
      );
      return null;
    }
    if (step.update !== undefined) await update(step.session ?? sessionId, step.update);
    if (step.raw !== undefined) await write(step.raw.replaceAll('$SESSION', sessionId));
    /** A line of so many bytes. */
    if (step.long !== undefined) await write(`${'x'.repeat(step.long)}\n`);
    if (step.errors !== undefined) process.stderr.write('noise\n'.repeat(step.errors));
    if (step.ask !== undefined) {
      const answer = await ask('session/request_permission', { sessionId, ...step.ask }, step.askId);
      note({ answered: answer.result ?? answer.error });
      if (step.then !== undefined && answer.result?.outcome?.outcome === 'selected')
        await run(sessionId, step.then[answer.result.outcome.optionId] ?? [], turn);
    }
    if (step.askAtOnce !== undefined)
      await Promise.all(
        step.askAtOnce.map(async (params) => {
          const answer = await ask('session/request_permission', { sessionId, ...params });
          note({ answered: answer.result });
        }),
      );
    if (step.askInBackground !== undefined)
      void ask('session/request_permission', { sessionId, ...step.askInBackground }, step.askId).then((answer) =>
        note({ answered: answer.result }),
      );
    if (step.request !== undefined)
      note({ answered: await ask(step.request.method, { sessionId, ...step.request.params }) });
    if (step.withdraw !== undefined) await send({ method: '$/cancel_request', params: { requestId: step.withdraw } });
    if (step.wait !== undefined) await pause(step.wait);
    if (step.touch !== undefined) writeFileSync(step.touch.path, step.touch.text);
    if (step.child !== undefined) {
      const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM",()=>{});setInterval(()=>{},1000)'], {
        detached: true,
        stdio: 'ignore',
      });
      child.unref();
      note({ child: child.pid });
    }
    if (step.exit !== undefined) process.exit(step.exit);
    if (step.kill !== undefined) process.kill(process.pid, 'SIGKILL');
    if (step.hang !== undefined) await new Promise(() => undefined);
    if (step.refuse !== undefined) return { refuse: step.refuse };
    if (step.end !== undefined) return typeof step.end === 'string' ? { stopReason: step.end } : step.end;
  }
  return { stopReason: turn.cancelled ? (quirks.cancelAnswer ?? 'cancelled') : 'end_turn' };
}

async function prompt(id, { sessionId, prompt: blocks }) {
  const session = remembered.sessions[sessionId];
  const entry = { prompt: textOf(blocks), answer: null };
  note({ prompt: entry.prompt });
  session?.turns.push(entry);
  save();
  const turn = { id, cancelled: false, answer: '' };
  running.set(sessionId, turn);
  const result = await run(sessionId, scriptOf(blocks), turn);
  running.delete(sessionId);
  // Like real agents: an answer is on its disk only when it is whole.
  entry.answer = turn.answer;
  save();
  if (result === null) return;
  if (result.refuse !== undefined) await send({ id, error: result.refuse });
  else await send({ id, result });
  if (quirks.late !== undefined) await update(sessionId, chunk('agent_message_chunk', quirks.late));
}

async function replay(sessionId) {
  for (const { prompt: asked, answer } of remembered.sessions[sessionId].turns) {
    await update(sessionId, chunk('user_message_chunk', '<session_context>made up</session_context>'));
    await update(sessionId, chunk('user_message_chunk', asked));
    const text = quirks.replayed ?? answer;
    if (text) await update(sessionId, chunk('agent_message_chunk', text, quirks.replayId));
  }
}

const fresh = () => ({
  ...(quirks.session ?? {}),
});

const handlers = {
  async initialize() {
    if (quirks.exitBeforeInitialize !== undefined) {
      process.stderr.write('cannot start: no licence\n');
      process.exit(quirks.exitBeforeInitialize);
    }
    if (quirks.initializeMs !== undefined) await pause(quirks.initializeMs);
    return {
      protocolVersion: quirks.version ?? 1,
      agentInfo: { name: 'scripted', title: 'Scripted', version: '1.0.0' },
      agentCapabilities: quirks.capabilities ?? {
        loadSession: true,
        sessionCapabilities: { resume: {}, close: {} },
        promptCapabilities: { image: true, embeddedContext: true },
      },
      authMethods: quirks.authMethods ?? [],
    };
  },
  async 'session/fork'({ sessionId: origin, mcpServers }) {
    if (remembered.sessions[origin] === undefined) throw { code: -32002, message: 'Resource not found' };
    const sessionId = `agent-session-${Object.keys(remembered.sessions).length + 1}`;
    remembered.sessions[sessionId] = { turns: [...remembered.sessions[origin].turns] };
    note({ forked: origin, servers: mcpServers });
    return { sessionId, ...fresh() };
  },
  async 'session/new'({ mcpServers }) {
    if (quirks.signIn) throw { code: -32000, message: 'Authentication required' };
    const sessionId = `agent-session-${Object.keys(remembered.sessions).length + 1}`;
    remembered.sessions[sessionId] = { turns: [] };
    note({ created: sessionId, servers: mcpServers });
    if (quirks.commands !== undefined)
      setTimeout(() => {
        void update(sessionId, { sessionUpdate: 'available_commands_update', availableCommands: quirks.commands });
      }, 5);
    if (quirks.greeting !== undefined)
      setTimeout(() => void update(sessionId, chunk('agent_message_chunk', quirks.greeting)), 5);
    return { sessionId, ...fresh() };
  },
  async 'session/resume'({ sessionId }) {
    note({ resumed: sessionId });
    if (quirks.resumeError !== undefined) throw quirks.resumeError;
    if (quirks.forgets || remembered.sessions[sessionId] === undefined)
      throw { code: -32002, message: 'Resource not found' };
    if (quirks.replaysOnResume) await replay(sessionId);
    return fresh();
  },
  async 'session/load'({ sessionId }) {
    note({ loaded: sessionId });
    if (quirks.forgets || remembered.sessions[sessionId] === undefined)
      throw { code: -32603, message: 'No previous sessions found' };
    if (quirks.loadMs !== undefined) await pause(quirks.loadMs);
    if (quirks.replaysAfterAnswer) setTimeout(() => void replay(sessionId), 50);
    else await replay(sessionId);
    return quirks.loadAnswersNull ? null : fresh();
  },
  async 'session/set_config_option'({ configId, value }) {
    note({ set: configId, value });
    return quirks.session ?? {};
  },
  async 'session/set_mode'({ modeId }) {
    note({ mode: modeId });
    return {};
  },
};

async function take(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return;
  }
  const { id, method, params } = message;
  if (method === undefined) {
    answers.get(id)?.(message);
    answers.delete(id);
    return;
  }
  if (method === 'session/cancel') {
    note({ cancelled: params.sessionId });
    const turn = running.get(params.sessionId);
    if (turn !== undefined && !quirks.ignoresCancel) turn.cancelled = true;
    return;
  }
  if (method === 'session/prompt') return prompt(id, params);
  const handler = handlers[method];
  if (handler === undefined)
    return id === undefined ? undefined : send({ id, error: { code: -32601, message: 'unknown' } });
  try {
    await send({ id, result: await handler(params) });
  } catch (error) {
    await send({ id, error: { code: error.code ?? -32603, message: error.message ?? String(error) } });
  }
}

note({ started: process.pid });
if (quirks.ignoresTerm) process.on('SIGTERM', () => undefined);
if (quirks.ignoresEnd) setInterval(() => undefined, 1000);
if (quirks.noise !== undefined) process.stdout.write(`${quirks.noise}\n`);
let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (data) => {
  const lines = (rest + data).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) if (line.trim() !== '') void take(line);
});
process.stdin.on('end', () => !quirks.ignoresEnd && process.exit(0));
