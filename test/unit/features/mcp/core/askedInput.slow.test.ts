import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Access, ApprovalDecision } from '../../../../../src/transcript/approval';
import { ModernServer } from '../../../../support/mcp/modernServer';
import { planFor, realServers, referenceServer, nodeLaunch, runTool, type ServersInTest } from './servers';

let server: ModernServer;
let world: ServersInTest | null = null;
beforeEach(async () => void (server = await new ModernServer().start()));
afterEach(async () => {
  await world?.close();
  await server.stop();
});

const accepts: ApprovalDecision = { kind: 'allow', scope: 'once', answer: { city: 'Bern', foreign: 'x' } };

/** Calls a tool whose server asks for input; the user decides so. */
async function called(name: string, decision: ApprovalDecision) {
  const asked: (readonly [string, Access])[] = [];
  const notes: unknown[] = [];
  const output = await runTool(await (world as ServersInTest).tool(name), {}, undefined, {
    report: (note) => notes.push(note),
    ask: async (access, subject) => {
      asked.push([subject, access]);
      const request = { tool: name, access, subject, reasons: [], rules: [], preview: null };
      const ids = { id: 'a', sessionId: 's', turnUid: 't', messageUid: 'm', callId: 'c' };
      return { ...ids, request, requestedAt: 0, state: { kind: 'decided', decision, decidedAt: 0 } };
    },
  });
  return { asked, notes: JSON.stringify(notes), text: output.text };
}

describe('a server of revision 2026-07-28', () => {
  const ask = (decision: ApprovalDecision = accepts) => {
    world = realServers([planFor('new', { kind: 'http', url: server.url, headers: {} })]);
    return called('mcp_new_ask', decision);
  };
  const form = (properties: object): void => {
    server.asks = {
      q: {
        method: 'elicitation/create',
        params: { mode: 'form', message: 'Please', requestedSchema: { type: 'object', properties } },
      },
    };
  };

  it('gets the answers to its fields and no others, and the call runs once', async () => {
    const { asked, text } = await ask();
    const value = { kind: 'text' };
    const field = { name: 'city', title: 'city', description: null, isRequired: true, value };
    expect([asked, text, server.ran]).toEqual([
      [['Which city?', { kind: 'input', server: 'new', asked: { kind: 'form', fields: [field] } }]],
      '{"city":{"action":"accept","content":{"city":"Bern"}}}',
      ['ask'],
    ]);
  });

  it('is told when the user declines', async () => {
    expect((await ask({ kind: 'deny', reason: null })).text).toBe('{"city":{"action":"decline"}}');
  });

  it.each([
    ['a secret', { apiKey: { type: 'string', title: 'Your API key' } }],
    ['a secret by its name', { password: { type: 'string' } }],
  ])('that asks for %s in a form gets nothing, and the user is not asked', async (_what, properties) => {
    form(properties);
    const { asked, text, notes } = await ask();
    expect([asked, text, /asked for a secret/.test(notes)]).toEqual([
      [],
      expect.stringMatching(/^{"q":{"action":"decline"}}\n\nThe server asked for a secret in a form/),
      true,
    ]);
  });

  it('may ask for a page, but only one of the web', async () => {
    const page = (url: string): void => {
      server.asks = {
        q: { method: 'elicitation/create', params: { mode: 'url', message: 'Visit', url, elicitationId: '1' } },
      };
    };
    page('https://pay.example/order');
    const first = await ask({ kind: 'allow', scope: 'once' });
    await world?.close();
    page('file:///etc/passwd');
    const second = await ask({ kind: 'allow', scope: 'once' });
    expect([first.asked[0]?.[1], first.text, second.asked, second.text]).toEqual([
      { kind: 'input', server: 'new', asked: { kind: 'url', url: 'https://pay.example/order' } },
      '{"q":{"action":"accept"}}',
      [],
      expect.stringContaining('{"q":{"action":"decline"}}\n\nThe server wanted to open an address'),
    ]);
  });
});

it('server-everything, of an older revision, gets the answers to its fields of every kind', async () => {
  world = realServers([planFor('all', nodeLaunch(referenceServer('everything'), ['stdio']))]);
  const { asked, text } = await called('mcp_all_trigger-elicitation-request', {
    ...accepts,
    answer: { name: 'Ann', check: true },
  });
  expect([asked.length, asked[0]?.[1], text]).toEqual([
    1,
    { kind: 'input', server: 'all', asked: { kind: 'form', fields: expect.any(Array) } },
    expect.stringContaining('Ann'),
  ]);
});
