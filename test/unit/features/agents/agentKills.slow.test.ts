import { afterEach, expect, test } from 'vitest';
import { HostedWorld, script } from '../../../support/acpAgent/hostedWorld';
import type { RecordingSurface } from '../../../support/recordingSurface';

/** For each kind of news: the agent, the window, or both are killed right after it was shown. */

let hosted: HostedWorld;
afterEach(() => hosted.close());

const call = (id: string, more: object) => ({
  update: { sessionUpdate: 'tool_call', toolCallId: id, title: 'Do it', status: 'in_progress', ...more },
});
const news = (id: string, more: object) => ({
  update: { sessionUpdate: 'tool_call_update', toolCallId: id, ...more },
});
const run = call('run', { kind: 'execute', rawInput: { command: 'make' } });
const diff = { type: 'diff', path: '/nowhere/a.txt', oldText: 'one\n', newText: 'marked\n' };
const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];

/** Steps whose last one shows the word "marked". */
const kinds: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {
  text: [{ say: 'marked ' }],
  thinking: [{ think: 'marked ' }],
  'a call': [call('c', { kind: 'other', title: 'marked' })],
  'an update of a call': [call('c', { kind: 'other' }), { wait: 20 }, news('c', { title: 'marked' })],
  'the end of a call': [run, { wait: 20 }, news('run', { status: 'completed', rawOutput: 'marked' })],
  'output of a command': [run, { wait: 20 }, news('run', { _meta: { terminal_output_delta: { data: 'marked\n' } } })],
  'a diff': [call('e', { kind: 'edit' }), { wait: 20 }, news('e', { content: [diff] })],
  'a plan': [{ update: { sessionUpdate: 'plan', entries: [{ content: 'marked', status: 'pending' }] } }],
  'a notice': [{ update: { sessionUpdate: 'notice', title: 'marked' } }],
  'news of an unknown kind': [{ update: { sessionUpdate: 'hologram', what: 'marked' } }],
  'a question': [
    { askInBackground: { toolCall: { toolCallId: 'q', kind: 'execute', rawInput: { command: 'marked' } }, options } },
  ],
};

/** Everything the surface was shown, as one text each. */
const shownBy = (surface: RecordingSurface): readonly string[] => [
  ...surface.delivered.map(({ text }) => text),
  ...surface.turnEvents.flatMap((event) =>
    event.kind === 'messageStored' ? [JSON.stringify(event.message.parts)] : [],
  ),
];

for (const [kind, steps] of Object.entries(kinds))
  test.each(['the agent', 'the window', 'both'])(`${kind}: a kill of %s loses and doubles nothing`, async (killed) => {
    hosted = await HostedWorld.create();
    const { world } = hosted;
    const surface = world.surface();
    const after = killed === 'the agent' ? [{ wait: 150 }, { kill: true }] : [{ hang: true }];
    await world.send(surface, script({ say: 'before ' }, ...steps, ...after));
    await surface.until((seen) => shownBy(seen).some((text) => text.includes('marked')));
    const sessionId = surface.turnEvents.find((event) => event.kind === 'turnOpened')?.turn.sessionId ?? '';
    if (killed === 'the agent') await surface.untilSettled(1);
    else await hosted.crash(killed === 'both');
    const rows = await world.rows(sessionId);
    const stored = rows
      .filter(({ role }) => role !== 'user')
      .map((row) => JSON.stringify(row.parts))
      .join('\n');
    const texts = rows
      .filter(({ role, visibility }) => role === 'assistant' && visibility.kind === 'shown')
      .flatMap(({ parts }) => parts.map((part) => (part.kind === 'text' || part.kind === 'thinking' ? part.text : '')));
    expect(texts.join('')).toBe(surface.deliveredText);
    expect(stored.includes('marked')).toBe(true);
    const turns = await world.store.readTranscript({ sessionId, limit: 100 });
    const [turn] = turns.turns;
    // A turn that waits for the user goes on waiting; then its decision finds the agent gone.
    if (turn?.state === 'waiting') {
      const [asked] = surface.questions;
      const again = world.surface();
      await world.gateway.switching.switchSession(again.id, { reason: 'resume', sessionId });
      await world.gateway.approvals.decide(asked?.id ?? '', { kind: 'allow', scope: 'once' });
      await again.untilSettled(1);
      expect(again.settled[0]?.turn).toMatchObject({ outcome: 'interrupted' });
    } else expect(turn).toMatchObject({ state: 'settled', outcome: 'interrupted' });
  });
