import { afterEach, expect, test } from 'vitest';
import type { Surface } from '../../src/gateway/gateway';
import { HostedWorld } from '../support/acpAgent/hostedWorld';
import { seededRandom } from '../support/seededRandom';

/** Turns with random scripts of the scripted agent, on a store that answers slowly: whatever the agent sends, and
 *  whenever it is stopped or killed, each thing that is shown is on disk at that moment, once, in order, in its session. */

const schedules = Number(process.env['HERMES_AGENT_SCHEDULES'] ?? 300);
const random = seededRandom(20_261_129);
const below = (count: number): number => Math.floor(random() * count);
const oneOf = <T>(items: readonly T[]): T => items[below(items.length)] as T;

const slowStore = (): number => (random() < 0.3 ? below(4) : 0);
let hosted: HostedWorld;
afterEach(() => hosted.close());

let word = 0;
const words = (count: number): string => Array.from({ length: count }, () => `w${++word} `).join('');

type Step = Readonly<Record<string, unknown>>;

function randomStep(index: number): readonly Step[] {
  const id = `call-${index}-${below(3)}`;
  const news = (more: object): Step => ({ update: { sessionUpdate: 'tool_call_update', toolCallId: id, ...more } });
  const kinds: readonly (() => readonly Step[])[] = [
    () => Array.from({ length: 1 + below(20) }, () => ({ say: words(1 + below(3)) })),
    () => [{ say: words(2), id: oneOf(['msg_1', 'msg_1', `m-${index}`]) }],
    () => [{ think: words(3) }],
    () => [
      {
        update: {
          sessionUpdate: 'tool_call',
          toolCallId: id,
          title: words(1),
          kind: oneOf(['read', 'edit', 'execute', 'other', 'fetch', 'never heard of']),
          status: oneOf(['pending', 'in_progress', 'completed']),
        },
      },
    ],
    () => [news({ _meta: { terminal_output_delta: { data: words(2) } } })],
    () => [news({ status: oneOf(['completed', 'failed', 'in_progress']), rawOutput: words(2) })],
    () => [{ update: { sessionUpdate: 'plan', entries: [{ content: words(2), status: 'pending' }] } }],
    () => [{ update: { sessionUpdate: 'hologram', depth: words(1) } }],
    () => [{ raw: 'not a message\r\n' }],
    () => [{ update: { sessionUpdate: 'usage_update', used: 10, size: 100 } }],
    () => [{ wait: below(15) }],
  ];
  return oneOf(kinds)();
}

/** Everything that a surface is shown, each checked against the file at that moment. */
class CheckingSurface implements Surface {
  readonly id = 'checking';
  readonly problems: string[] = [];
  settled = 0;
  delivered = 0;
  private readonly seen = new Map<string, number>();

  constructor(private readonly world: HostedWorld['world']) {}

  onTurnEvent: Surface['onTurnEvent'] = (sessionId, event) => {
    if (event.kind === 'delivered')
      for (const { messageUid, seq, text } of event.chunks) {
        this.delivered += text.length;
        if ((this.seen.get(messageUid) ?? 0) + 1 !== seq)
          this.problems.push(`chunk ${seq} of ${messageUid} out of order`);
        this.seen.set(messageUid, seq);
        const rows = this.world.query(
          `SELECT m.session_id FROM stream_chunks c JOIN messages m ON m.uid = c.message_uid
           WHERE c.message_uid = '${messageUid}' AND c.seq = ${seq}`,
        );
        if (rows.length !== 1 || rows[0]?.['session_id'] !== sessionId)
          this.problems.push(`chunk ${seq} of ${messageUid} was shown and is not stored in its session`);
      }
    if (event.kind === 'messageStored') {
      const { uid, parts } = event.message;
      const [row] = this.world.query(`SELECT parts, session_id FROM messages WHERE uid = '${uid}'`);
      const last = parts.at(-1);
      const shown =
        last === undefined ? '' : last.kind === 'toolCall' ? last.arguments : 'text' in last ? last.text : '';
      if (row?.['session_id'] !== sessionId) this.problems.push(`row ${uid} was shown and is not stored`);
      else if (!JSON.stringify(JSON.parse(String(row['parts']))).includes(JSON.stringify(shown)))
        this.problems.push(`row ${uid} was shown in another version than it is stored`);
    }
    if (event.kind === 'turnSettled') this.settled++;
  };
  onSessionEvent = (): void => undefined;
  onSessionSwitched = (): void => undefined;
}

test(
  `${schedules} random schedules: shown is stored, once, in order, in the right session`,
  { timeout: 20 * 60_000 },
  async () => {
    hosted = await HostedWorld.create({ slowStore });
    const { world } = hosted;
    const surface = new CheckingSurface(world);
    world.gateway.surfaces.attach(surface);
    const shownTexts: string[] = [];
    for (let index = 0; index < schedules; index++) {
      const steps = Array.from({ length: 1 + below(8) }, () => randomStep(index)).flat();
      const end = oneOf(['end', 'end', 'end', 'end', 'kill', 'refuse', 'stop']);
      if (end === 'kill') steps.push({ wait: below(30) }, oneOf([{ kill: true }, { exit: 0 }]));
      if (end === 'refuse') steps.push({ refuse: { code: 500, message: 'no' } });
      if (end === 'stop') steps.push({ wait: 60 });
      // A new session now and then: what an agent is handed over is tried elsewhere.
      if (index % 40 === 0) await world.gateway.switching.switchSession('checking', { reason: 'new_session' });
      const before = surface.settled;
      const receipt = await world.gateway.intake.submit('checking', {
        sessionId: world.gateway.surfaces.shownSession('checking'),
        uid: `prompt-${index}`,
        text: JSON.stringify(steps),
      });
      if (end === 'stop') await world.gateway.turns.stop(receipt.sessionId);
      while (surface.settled === before) await new Promise((resolve) => setTimeout(resolve, 1));
      await world.idle();
      expect(surface.problems).toEqual([]);
      const answers = (await world.rows(receipt.sessionId)).filter(
        (row) => row.role === 'assistant' && row.turnUid === (receipt.kind === 'started' ? receipt.turnUid : null),
      );
      shownTexts.push(answers.flatMap((row) => row.parts.map((part) => ('text' in part ? part.text : ''))).join(''));
    }
    const stored = shownTexts.join('').match(/w\d+/g) ?? [];
    // Every word was said once, so a doubled or swapped one is seen.
    expect(stored.length).toBe(new Set(stored).size);
    const numbers = stored.map((text) => Number(text.slice(1)));
    expect(numbers).toEqual([...numbers].sort((left, right) => left - right));
    expect(surface.delivered).toBeGreaterThan(schedules * 10);
  },
);

test.each(['appendChunks', 'putMessages'])(
  'control: a store whose %s says it is done before it is, is noticed',
  async (method) => {
    hosted = await HostedWorld.create({ slowStore: () => 0, early: method });
    const { world } = hosted;
    const surface = new CheckingSurface(world);
    world.gateway.surfaces.attach(surface);
    const call = { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'x', kind: 'other', status: 'completed' };
    await world.gateway.intake.submit('checking', {
      sessionId: null,
      uid: 'control',
      text: JSON.stringify([{ say: 'one ' }, { wait: 100 }, { update: call }, { wait: 100 }, { say: 'two' }]),
    });
    while (surface.settled === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(surface.problems).not.toEqual([]);
  },
);
