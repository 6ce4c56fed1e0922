import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { agentRules } from '../../../../src/features/agents/core/agentRegistry';
import { HostedWorld, openedPages, script } from '../../../support/acpAgent/hostedWorld';
import type { RecordingSurface } from '../../../support/recordingSurface';
import type { ToolMessage } from '../../../../src/transcript/message';
import type { ToolResultPart } from '../../../../src/transcript/part';

/** Cases of ../shared/reference/acp-measured.md, each named with the agents that do this. */

let hosted: HostedWorld;
afterEach(() => hosted.close());

const words = (count: number, from = 1): string =>
  Array.from({ length: count }, (_, index) => `w${from + index} `).join('');

async function begin(options: Parameters<typeof HostedWorld.create>[0] = {}): Promise<RecordingSurface> {
  hosted = await HostedWorld.create(options);
  return hosted.world.surface();
}

const sessionOf = (surface: RecordingSurface): string => hosted.world.gateway.surfaces.shownSession(surface.id) ?? '';

async function results(surface: RecordingSurface): Promise<readonly ToolResultPart[]> {
  const rows = await hosted.world.rows(sessionOf(surface));
  return rows.filter((row): row is ToolMessage => row.role === 'tool').map(({ parts }) => parts[0]);
}

const lines = (surface: RecordingSurface): Promise<readonly string[]> => hosted.world.lines(sessionOf(surface));

const call = (toolCallId: string, more: object = {}) => ({
  update: { sessionUpdate: 'tool_call', toolCallId, title: 'Do', kind: 'other', status: 'in_progress', ...more },
});
const news = (toolCallId: string, more: object) => ({
  update: { sessionUpdate: 'tool_call_update', toolCallId, ...more },
});
const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];

const decide = async (
  surface: RecordingSurface,
  allow: boolean,
  count = surface.questions.length || 1,
): Promise<void> => {
  const { id } = await surface.question(count);
  await hosted.world.gateway.approvals.decide(
    id,
    allow ? { kind: 'allow', scope: 'once' } : { kind: 'deny', reason: 'not now' },
  );
};

test('2: a replay after the answer of load makes no row (Gemini)', async () => {
  const surface = await begin({
    quirks: { capabilities: { loadSession: true }, replaysAfterAnswer: true },
  });
  await hosted.world.ask(surface, script({ words: 5 }));
  await hosted.reopen();
  const again = hosted.world.surface();
  await hosted.world.gateway.switching.switchSession(again.id, { reason: 'resume', sessionId: sessionIdOf(surface) });
  await hosted.world.ask(again, 'next');
  expect(hosted.logged('loaded')).toHaveLength(1);
  expect((await lines(again)).filter((line) => line.includes('w5'))).toHaveLength(1);
});

const sessionIdOf = (surface: RecordingSurface): string => surface.settled.at(-1)?.turn.sessionId ?? '';

async function inNextWindow(
  surface: RecordingSurface,
  change: () => void = () => undefined,
): Promise<RecordingSurface> {
  const sessionId = sessionIdOf(surface);
  change();
  await hosted.reopen();
  const again = hosted.world.surface();
  await hosted.world.gateway.switching.switchSession(again.id, { reason: 'resume', sessionId });
  return again;
}

test('3: a provider that gives every message one id merges nothing, and nothing is doubled (Codex, Claude)', async () => {
  const surface = await begin();
  await hosted.world.ask(
    surface,
    script({ say: 'one', id: 'msg_1' }, call('a', { status: 'completed' }), { say: 'two', id: 'msg_1' }),
  );
  await hosted.world.ask(surface, script({ say: 'three', id: 'msg_1' }));
  expect(surface.delivered.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
});

test('5: a replay that goes beyond what arrived adds the rest, marked; one that differs shows both', async () => {
  const surface = await begin({ quirks: { replaysOnResume: true } });
  await hosted.world.ask(surface, script({ words: 3 }, { exit: 0 }));
  const again = await inNextWindow(surface, () => (hosted.quirks = { replaysOnResume: true, replayed: words(6) }));
  await hosted.world.ask(again, 'next');
  expect((await results(again)).map(({ text }) => text)).toEqual([
    `Received after the interruption: ${words(6).slice(words(3).trimEnd().length)}`,
  ]);
});

test.each([
  ['between lines', { exit: 3 }],
  ['in a line', { raw: '{"jsonrpc":"2.0","method":"session/upd', kill: true }],
  ['with code 0 (Kimi)', { exit: 0 }],
])('6: an agent that dies %s leaves what was shown, once, in an interrupted turn', async (_, death) => {
  const surface = await begin();
  await hosted.world.ask(surface, script({ words: 30 }, { wait: 20 }, death));
  expect(surface.deliveredText).toBe(words(30));
  expect(surface.settled[0]?.turn).toMatchObject({ outcome: 'interrupted', stopReason: 'connectionLost' });
});

test('7: a killed window finds everything that was shown, and the agent is told what it has lost', async () => {
  const surface = await begin();
  await hosted.world.send(
    surface,
    script({ words: 40 }, call('c', { kind: 'execute', rawInput: { command: 'make' } }), { hang: true }),
  );
  await surface.until(
    () => surface.deliveredText.includes('w40') && surface.turnEvents.some(({ kind }) => kind === 'messageStored'),
  );
  const sessionId = sessionOf(surface);
  await hosted.crash();
  expect((await hosted.world.lines(sessionId)).join('\n')).toContain(words(40));
  expect((await hosted.world.lines(sessionId)).join('\n')).toContain('tool: interrupted');
  const again = hosted.world.surface();
  await hosted.world.gateway.switching.switchSession(again.id, { reason: 'resume', sessionId });
  await hosted.world.ask(again, 'go on');
  expect(String(hosted.logged('prompt').at(-1))).toContain('w40');
});

test.each([
  ['no word', [], {}, { outcome: 'failed', stopReason: 'empty' }],
  [
    'the text of an error without an id (Codex)',
    [{ say: 'half', id: 'a' }, { say: 'stream error: 500' }],
    agentRules['codex'],
    { outcome: 'failed', stopReason: 'error' },
  ],
  [
    'retry lines in the text (pi)',
    [{ say: 'Retrying (attempt 1/3, waiting 2s)...\n' }],
    agentRules['pi'],
    { outcome: 'failed', stopReason: 'error' },
  ],
])('8: a turn that ends well with %s is not complete', async (_, steps, rules, outcome) => {
  const surface = await begin({ rules: rules ?? {} });
  await hosted.world.ask(surface, script(...steps));
  expect(surface.settled[0]?.turn).toMatchObject(outcome);
});

test('9: an answer that comes twice after a cut is kept twice, and the turn says so', async () => {
  const surface = await begin();
  const text = 'The first sentence of an answer that is long enough. ';
  await hosted.world.ask(surface, script({ say: text, id: 'a' }, { say: `${text}And its end.`, id: 'b' }));
  expect(surface.delivered.map((row) => row.text)).toEqual([text, `${text}And its end.`]);
  expect(surface.settled[0]?.turn.failure?.sentence).toContain('answered again from the start');
});

test('11: a question may be the first word about a call; its decision is stored before it is answered', async () => {
  const surface = await begin();
  const file = path.join(hosted.folder, 'a.txt');
  const toolCall = {
    toolCallId: 'edit-1',
    title: 'a.txt',
    kind: 'edit',
    content: [{ type: 'diff', path: file, oldText: null, newText: 'new\n' }],
  };
  await hosted.world.send(
    surface,
    script(
      { ask: { toolCall, options }, then: { yes: [{ touch: { path: file, text: 'new\n' } }] } },
      news('edit-1', { status: 'completed' }),
      { say: 'done' },
    ),
  );
  const question = await surface.question();
  expect(question.request).toMatchObject({
    access: { kind: 'edit' },
    preview: expect.stringContaining('+new') as string,
  });
  expect(existsSync(file)).toBe(false);
  await decide(surface, true);
  await surface.untilSettled(1);
  expect(readFileSync(file, 'utf8')).toBe('new\n');
  expect(hosted.logged('answered')).toEqual([{ outcome: { outcome: 'selected', optionId: 'yes' } }]);
  expect(await results(surface)).toMatchObject([{ outcome: 'done', details: { kind: 'edit' } }]);
  const changes = await hosted.world.store.fileChangesOf([surface.settled[0]?.turn.uid ?? '']);
  expect(changes.map(({ path: changed, before }) => [path.basename(changed), before])).toEqual([['a.txt', null]]);
});

test('11: a denied question is answered with the option that rejects', async () => {
  const surface = await begin();
  const toolCall = { toolCallId: 'run-1', title: 'rm x', kind: 'execute', rawInput: { command: 'rm x' } };
  await hosted.world.send(surface, script({ ask: { toolCall, options } }, { say: 'ok' }));
  await decide(surface, false);
  await surface.untilSettled(1);
  expect(hosted.logged('answered')).toEqual([{ outcome: { outcome: 'selected', optionId: 'no' } }]);
  expect(await results(surface)).toMatchObject([{ outcome: 'denied', details: { kind: 'denied', reason: 'not now' } }]);
});

test('11: an agent that takes only a permission for good is never given it unasked, and the card says so', async () => {
  const surface = await begin();
  const toolCall = (toolCallId: string) => ({
    toolCallId,
    title: 'a.txt',
    kind: 'read',
    locations: [{ path: path.join(hosted.folder, 'a.txt') }],
  });
  const forGood = [{ optionId: 'always', name: 'Allow', kind: 'allow_always' }];
  await hosted.world.send(
    surface,
    script({ ask: { toolCall: toolCall('r1'), options } }, { ask: { toolCall: toolCall('r2'), options: forGood } }),
  );
  expect((await surface.question()).request).toMatchObject({
    access: { kind: 'read' },
    reasons: ['always'],
    rules: [],
  });
  await decide(surface, true);
  await surface.untilSettled(1);
  expect(hosted.logged('answered')).toEqual([
    { outcome: { outcome: 'selected', optionId: 'yes' } },
    { outcome: { outcome: 'selected', optionId: 'always' } },
  ]);
});

test('11: a question without an option that allows is not put to the user; the transcript says so', async () => {
  const surface = await begin();
  const toolCall = { toolCallId: 'x', title: 'Deploy', kind: 'execute', rawInput: { command: 'make' } };
  const odd = [{ optionId: 'go', name: 'Go', kind: 'proceed' }, options[2]];
  await hosted.world.ask(surface, script({ ask: { toolCall, options: odd } }));
  expect(hosted.logged('answered')).toEqual([{ outcome: { outcome: 'selected', optionId: 'no' } }]);
  expect((await results(surface)).map(({ text }) => text)).toContain(
    'The agent asked a question that Hermes cannot show, so it was not allowed.',
  );
});

test('11: a question about an id that is used again leaves the earlier call as it was', async () => {
  const surface = await begin();
  const toolCall = { toolCallId: 'x', title: 'Second', kind: 'other' };
  await hosted.world.send(
    surface,
    script(call('x', { title: 'First', status: 'completed' }), { ask: { toolCall, options } }),
  );
  await decide(surface, true);
  await surface.untilSettled(1);
  expect(await results(surface)).toHaveLength(2);
});

test('11: two questions at once are asked one after the other; one that nothing is said about is asked too', async () => {
  const surface = await begin();
  const questions = ['p', 'q'].map((toolCallId) => ({ toolCall: { toolCallId }, options }));
  await hosted.world.send(surface, script({ askAtOnce: questions }, { say: 'ok' }));
  await decide(surface, true, 1);
  await decide(surface, false, 2);
  await surface.untilSettled(1);
  expect(hosted.logged('answered')).toEqual([
    { outcome: { outcome: 'selected', optionId: 'yes' } },
    { outcome: { outcome: 'selected', optionId: 'no' } },
  ]);
});

test('11: a stop answers every open question with cancelled, also one that comes after it', async () => {
  const surface = await begin();
  const ask = (toolCallId: string) => ({ ask: { toolCall: { toolCallId }, options }, evenIfCancelled: true });
  await hosted.world.send(surface, script(ask('before'), { wait: 100, evenIfCancelled: true }, ask('after')));
  await surface.question();
  await hosted.world.gateway.turns.stop(sessionOf(surface));
  expect(hosted.logged('answered')).toEqual([
    { outcome: { outcome: 'cancelled' } },
    { outcome: { outcome: 'cancelled' } },
  ]);
  expect(surface.settled[0]?.turn).toMatchObject({ outcome: 'interrupted', stopReason: 'user' });
});

test('12: what comes after a stop is kept, and a call that was left open is interrupted (Claude, Codex)', async () => {
  const surface = await begin();
  await hosted.world.send(
    surface,
    script(
      { words: 3 },
      call('run', { kind: 'execute', rawInput: { command: 'sleep 9' } }),
      { wait: 100 },
      { words: 7, from: 4, evenIfCancelled: true },
    ),
  );
  await surface.until(
    () => surface.deliveredText.includes('w3') && surface.turnEvents.some((event) => event.kind === 'messageStored'),
  );
  await hosted.world.gateway.turns.stop(sessionOf(surface));
  expect(surface.settled[0]?.turn).toMatchObject({ outcome: 'interrupted', stopReason: 'user' });
  expect((await results(surface)).map(({ outcome }) => outcome)).toEqual(['interrupted']);
});

test('13: a diff stays when its call replaces it by a word (Kimi)', async () => {
  const surface = await begin();
  const file = path.join(hosted.folder, 'a.txt');
  const diff = { type: 'diff', path: file, oldText: 'old\n', newText: 'new\n' };
  const text = { type: 'content', content: { type: 'text', text: 'Replaced 1 occurrence' } };
  await hosted.world.ask(
    surface,
    script(call('e', { kind: 'edit', content: [diff] }), news('e', { status: 'completed', content: [text] }), {
      say: 'ok',
    }),
  );
  const [result] = await results(surface);
  expect(result).toMatchObject({ outcome: 'done', text: 'Replaced 1 occurrence', details: { kind: 'edit' } });
});

test('a patch in the input of a call without a kind is an edit: asked with its diff, and in the review (Cline)', async () => {
  const surface = await begin();
  const changed = path.join(hosted.folder, 'a.txt');
  writeFileSync(changed, 'old\nkept\n');
  const input = [
    '*** Begin Patch',
    `*** Update File: ${changed}`,
    ...['@@', '-old', '+new', ' kept', '*** Add File: b.txt', '+made', '*** End Patch'],
  ].join('\n');
  const about = { toolCallId: 'p', title: `apply_patch: {"input": …`, kind: 'other', rawInput: { input } };
  const done = hosted.world.ask(
    surface,
    script(
      { update: { sessionUpdate: 'tool_call_update', status: 'pending', ...about } },
      { ask: { toolCall: about, options } },
      { touch: { path: changed, text: 'new\nkept\n' } },
      { touch: { path: path.join(hosted.folder, 'b.txt'), text: 'made\n' } },
      call('p', { ...about, status: 'pending' }),
      news('p', { status: 'completed', rawOutput: 'Applied.' }),
      { say: 'ok' },
    ),
  );
  const { request } = await surface.question(1);
  await decide(surface, true);
  await done;
  const changes = await hosted.world.store.fileChangesOf([surface.settled[0]?.turn.uid ?? '']);
  const [result] = await results(surface);
  expect({
    asked: [request.access.kind, request.preview?.includes('-old\n+new')],
    row: [result?.name, result?.outcome, (result?.details as { kind?: string } | undefined)?.kind],
    review: changes.map((change) => [path.basename(change.path), change.before === null]),
  }).toEqual({
    asked: ['edit', true],
    row: ['edit_file', 'done', 'edit'],
    review: [
      ['a.txt', false],
      ['b.txt', true],
    ],
  });
});

test('a form of an agent is asked with the card of servers, answered, and kept as a line (Claude)', async () => {
  const surface = await begin();
  const requestedSchema = {
    type: 'object',
    properties: { question_0: { type: 'string', title: 'Color', oneOf: [{ const: 'Red', title: 'Red' }] } },
  };
  const message = 'Which color?';
  const form = { request: { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } } };
  const done = hosted.world.ask(surface, script(form, form, { say: 'ok' }));
  const { id, request } = await surface.question(1);
  const answer = { question_0: 'Red', unasked: 'x' };
  await hosted.world.gateway.approvals.decide(id, { kind: 'allow', scope: 'once', answer });
  await decide(surface, false, 2);
  await done;
  expect({
    access: request.access,
    subject: request.subject,
    answered: hosted.logged('answered'),
    rows: (await results(surface)).map(({ name, outcome, text }) => [name, outcome, text]),
  }).toMatchObject({
    access: { kind: 'input', server: 'Scripted', isAgent: true },
    subject: message,
    answered: [{ result: { action: 'accept', content: { question_0: 'Red' } } }, { result: { action: 'decline' } }],
    rows: [
      ['agent_input', 'done', 'Which color?\n• Red'],
      ['agent_input', 'denied', 'Which color?'],
    ],
  });
});

test('a page of an agent opens once the user agrees; a form that asks for a secret, and one at a stop, are not shown', async () => {
  const surface = await begin();
  const elicit = (params: object) => ({ request: { method: 'elicitation/create', params } });
  const page = { mode: 'url', message: 'Sign in', elicitationId: 'e', url: 'https://example.org/sign-in?a=%26' };
  const secret = { type: 'object', properties: { password: { type: 'string' } } };
  const form = { type: 'object', properties: { name: { type: 'string' } } };
  const done = hosted.world.ask(
    surface,
    script(
      elicit(page),
      elicit({ mode: 'form', message: 'Your password?', requestedSchema: secret }),
      elicit({ mode: 'form', message: 'Your name?', requestedSchema: form }),
      { say: 'ok' },
    ),
  );
  await decide(surface, true, 1);
  await surface.question(2);
  await hosted.world.gateway.turns.stop(sessionOf(surface));
  await done;
  expect({
    opened: openedPages.splice(0),
    answered: hosted.logged('answered').map((each) => (each as { result: { action: string } }).result.action),
    outcomes: (await results(surface)).map(({ outcome }) => outcome),
  }).toEqual({
    opened: ['https://example.org/sign-in?a=%26'],
    answered: ['accept', 'decline', 'cancel'],
    outcomes: ['done', 'denied', 'interrupted'],
  });
});

test('14: output that comes in _meta, in each spelling, is shown while the command runs', async () => {
  const surface = await begin();
  const meta = (data: object) => news('c', { _meta: data });
  await hosted.world.ask(
    surface,
    script(
      call('c', { kind: 'execute', title: 'make', content: [{ type: 'terminal', terminalId: 'unknown' }] }),
      { wait: 30 },
      meta({ terminal_output_delta: { data: '.' } }),
      meta({ terminal_output_delta: { data: '.' } }),
      meta({ terminal_output_delta: { data: '.\n' } }),
      { wait: 30 },
      meta({ terminal_output: { data: 'two\n' } }),
      { wait: 30 },
      meta({ terminal_exit: { exit_code: 2, signal: null } }),
      news('c', { status: 'failed' }),
      { say: 'ok' },
    ),
  );
  expect(await results(surface)).toMatchObject([
    { outcome: 'failed', text: '...\ntwo\n', details: { kind: 'command', command: 'make', exitCode: 2 } },
  ]);
  const shown = surface.turnEvents.flatMap((event) =>
    event.kind === 'messageStored' && event.message.role === 'tool' ? [event.message.parts[0].text] : [],
  );
  expect(shown).toEqual(expect.arrayContaining(['', '...\n', '...\ntwo\n']));
});

test('15: what is not known is kept as it came and shown as a line, and the turn goes on', async () => {
  const surface = await begin();
  await hosted.world.ask(
    surface,
    script(
      { update: { sessionUpdate: 'hologram', depth: 3 } },
      { update: { sessionUpdate: 'agent_message_chunk' } },
      { update: { sessionUpdate: 'agent_message_chunk', content: { type: 'smell', of: 'roses' } } },
      call('x', { status: 'completed', content: [{ type: 'sound', note: 'a' }] }),
      { say: 'ok' },
      { end: 'because' },
    ),
  );
  const all = await results(surface);
  expect(JSON.stringify(all)).toContain('depth');
  expect(JSON.stringify(all)).toContain('roses');
  expect(JSON.stringify(all)).toContain('sound');
  expect(surface.deliveredText).toBe('ok');
  expect(surface.settled[0]?.turn).toMatchObject({ outcome: 'complete' });
});

test.each([401, 500, 1001, -32603])('15: a refusal with code %i fails the turn with a sentence', async (code) => {
  const surface = await begin();
  await hosted.world.ask(surface, script({ words: 2 }, { refuse: { code } }));
  expect(surface.settled[0]?.turn).toMatchObject({ outcome: 'failed', stopReason: 'error' });
  expect(surface.deliveredText).toBe(words(2));
});

test('16: a greeting, news after the answer and news of another session touch no answer (pi)', async () => {
  const surface = await begin({ quirks: { greeting: 'pi v1 ---', late: '[MODE_UPDATE] plan' } });
  await hosted.world.ask(
    surface,
    script(
      { wait: 40 },
      { session: 'other', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'stray' } } },
      { say: 'mine' },
    ),
  );
  await hosted.world.ask(surface, script({ say: 'again' }));
  expect(surface.delivered.map(({ text }) => text)).not.toContain('stray');
  expect(surface.deliveredText.replace('pi v1 ---', '')).toBe('mineagain');
});

test('17: an unknown request is refused', async () => {
  const surface = await begin();
  await hosted.world.ask(surface, script({ request: { method: 'craft/drain', params: {} } }, { say: 'ok' }));
  expect(hosted.logged('answered')).toMatchObject([{ error: { code: -32601 } }]);
});

test('17: a question that the agent withdraws is closed, and the next one is asked', async () => {
  const surface = await begin();
  const question = (toolCallId: string) => ({ toolCall: { toolCallId }, options });
  await hosted.world.send(
    surface,
    script(
      { askInBackground: question('w'), askId: 'q-1' },
      { wait: 150 },
      { withdraw: 'q-1' },
      { ask: question('x') },
      { say: 'ok' },
    ),
  );
  await surface.until((shown) => shown.questions.length === 2);
  await decide(surface, true, 2);
  await surface.untilSettled(1);
  expect(hosted.logged('answered')).toEqual([
    { outcome: { outcome: 'cancelled' } },
    { outcome: { outcome: 'selected', optionId: 'yes' } },
  ]);
  expect(surface.settled[0]?.turn).toMatchObject({ outcome: 'complete' });
});

test('19: a line of 33 MB is cut, a line that is no message is skipped, and the rest is kept', async () => {
  const surface = await begin();
  await hosted.world.ask(
    surface,
    script(
      { say: 'before ' },
      { long: 33 * 1024 * 1024 },
      { raw: 'plain words\r\n' },
      { errors: 5000 },
      { say: 'after' },
    ),
  );
  expect(surface.deliveredText).toBe('before after');
  expect(JSON.stringify(await results(surface))).toContain('bytes in one line');
});

test('20: nothing is left of an agent that ignores the end, nor of a child in its own group', async () => {
  const surface = await begin({ quirks: { ignoresEnd: true, ignoresTerm: true } });
  await hosted.world.ask(surface, script({ child: 1 }, { say: 'ok' }));
  await hosted.reopen();
  const pids = [...hosted.logged('child'), ...hosted.logged('started')].map(Number);
  expect(pids).toHaveLength(2);
  expect(
    pids.filter(
      (pid) => existsSync(`/proc/${pid}/status`) && !/State:\s+Z/.test(readFileSync(`/proc/${pid}/status`, 'utf8')),
    ),
  ).toEqual([]);
});

test.each([
  ['is unknown', { forgets: true }],
  ['is in use', { resumeError: { code: -32600, message: 'thread_active_writer' } }],
])(
  '21: a session that %s begins anew behind a visible line, with the transcript if the user gives it',
  async (_, quirks) => {
    const surface = await begin();
    await hosted.world.ask(surface, script({ words: 5 }));
    const again = await inNextWindow(surface, () => (hosted.quirks = quirks));
    await hosted.world.send(again, 'next');
    await decide(again, true, 1);
    await again.untilSettled(1);
    expect((await results(again)).at(-1)?.text).toMatch(/could not continue its session.*got the transcript above/);
    expect(String(hosted.logged('prompt').at(-1))).toContain('w5');
    expect(hosted.logged('created')).toHaveLength(2);
  },
);

test('21: an agent that cannot continue says so too, and gets nothing that the user denies it', async () => {
  const surface = await begin({ quirks: { capabilities: {} } });
  await hosted.world.ask(surface, script({ words: 5 }));
  const again = await inNextWindow(surface);
  await hosted.world.send(again, 'next');
  await decide(again, false, 1);
  await again.untilSettled(1);
  expect((await results(again)).at(-1)?.text).toMatch(/cannot continue its session.*did not get the transcript/);
  expect(hosted.logged('prompt').at(-1)).toBe('next');
});

test('21: load that answers null keeps the id that was sent', async () => {
  const surface = await begin({ quirks: { capabilities: { loadSession: true }, loadAnswersNull: true } });
  await hosted.world.ask(surface, script({ words: 5 }));
  const again = await inNextWindow(surface);
  await hosted.world.ask(again, 'next');
  expect(again.settled[0]?.turn).toMatchObject({ outcome: 'complete' });
  expect(hosted.logged('created')).toHaveLength(1);
});

test('21: a stop while the agent loads its session makes no row of what it replays, and the next prompt loads it', async () => {
  const surface = await begin({ quirks: { capabilities: { loadSession: true } } });
  await hosted.world.ask(surface, script({ words: 5 }));
  const again = await inNextWindow(surface, () => (hosted.quirks = { ...hosted.quirks, loadMs: 300 }));
  await hosted.world.send(again, 'stopped');
  await vi.waitUntil(() => hosted.logged('loaded').length === 1);
  await hosted.world.gateway.turns.stop(sessionOf(again));
  await hosted.world.ask(again, 'next');
  expect(again.deliveredText).toMatch(/^echo: /);
  expect(hosted.logged('loaded')).toEqual(['agent-session-1', 'agent-session-1']);
});

test('22: model, mode and options are set in each of their forms', async () => {
  const session = {
    modes: {
      currentModeId: 'auto',
      availableModes: [
        { id: 'auto', name: 'Auto' },
        { id: 'default', name: 'Ask' },
      ],
    },
    configOptions: [
      {
        id: 'm',
        name: 'Model',
        category: 'model',
        type: 'select',
        currentValue: 'a',
        options: [
          { value: 'a', name: 'A' },
          { value: 'default', name: 'D' },
        ],
      },
    ],
  };
  const surface = await begin({ quirks: { session }, rules: { modes: { ask: 'default' } } });
  await hosted.world.ask(surface, 'hello');
  expect(hosted.logged('mode')).toEqual(['default']);
});

test('23: a write through the client needs the approval of its call, and reading gives the text', async () => {
  const surface = await begin({ rules: { fs: true } });
  const file = path.join(hosted.folder, 'a.txt');
  writeFileSync(file, 'one\ntwo\n');
  const write = { request: { method: 'fs/write_text_file', params: { path: file, content: 'new\n' } } };
  const toolCall = { toolCallId: 'w', kind: 'edit', title: 'a.txt', locations: [{ path: file }] };
  await hosted.world.send(
    surface,
    script(
      { request: { method: 'fs/read_text_file', params: { path: file, line: 2, limit: 1 } } },
      write,
      { ask: { toolCall, options } },
      write,
      news('w', { status: 'completed' }),
      { say: 'ok' },
    ),
  );
  await decide(surface, true);
  await surface.untilSettled(1);
  expect(hosted.logged('answered')).toMatchObject([
    { result: { content: 'two' } },
    { error: { code: -32603 } },
    { outcome: { optionId: 'yes' } },
    { result: null },
  ]);
  expect(readFileSync(file, 'utf8')).toBe('new\n');
});

test('23: an allowed edit lets the agent write what the card showed, not what it adds to its call meanwhile', async () => {
  const surface = await begin({ rules: { fs: true } });
  const [shown, added] = ['a.txt', 'b.txt'].map((name) => path.join(hosted.folder, name));
  const write = (file = '') => ({
    request: { method: 'fs/write_text_file', params: { path: file, content: 'new\n' } },
  });
  const toolCall = { toolCallId: 'w', kind: 'edit', title: 'a.txt', locations: [{ path: shown }] };
  await hosted.world.send(
    surface,
    script(
      { askInBackground: { toolCall, options } },
      news('w', { locations: [{ path: added }, { path: shown }] }),
      { ask: { toolCall: { toolCallId: 'x', title: 'Other' }, options } },
      write(shown),
      write(added),
      { say: 'ok' },
    ),
  );
  await surface.until(({ turnEvents }) => JSON.stringify(turnEvents).includes('b.txt'));
  await decide(surface, true, 1);
  await decide(surface, true, 2);
  await surface.untilSettled(1);
  expect(hosted.logged('answered').slice(2)).toMatchObject([{ result: null }, { error: { code: -32603 } }]);
  expect([shown, added].map((file) => existsSync(file ?? ''))).toEqual([true, false]);
});

test('24: a second prompt waits in our queue while one runs', async () => {
  const surface = await begin();
  await hosted.world.send(surface, script({ words: 3 }, { wait: 150 }));
  await hosted.world.send(surface, 'second');
  await surface.untilSettled(2);
  await hosted.world.idle();
  expect(surface.deliveredText).toBe(`${words(3)}echo: second`);
  expect(hosted.logged('cancelled')).toEqual([]);
});

test('25: an agent that ends before initialize fails the turn with the end of its error output', async () => {
  const surface = await begin({ quirks: { exitBeforeInitialize: 4 } });
  await hosted.world.ask(surface, 'hello');
  const { failure } = surface.settled[0]?.turn ?? {};
  expect(failure?.sentence).toContain('exit code 4');
  expect(failure?.sentence).toContain('no licence');
});

test('sign-in: the refusal names the command that signs in', async () => {
  const surface = await begin({ quirks: { signIn: true } });
  await hosted.world.ask(surface, 'hello');
  expect(surface.settled[0]?.turn).toMatchObject({ outcome: 'failed', failure: { cause: 'auth' } });
});

test('noise before initialize is skipped', async () => {
  const surface = await begin({ quirks: { noise: 'Welcome to bash!' } });
  await hosted.world.ask(surface, 'hello');
  expect(surface.deliveredText).toBe('echo: hello');
});
