import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tagsMatch } from '../../../support/hindsight/memoryBank';
import { HindsightStandIn } from '../../../support/hindsight/standIn';

let server: HindsightStandIn;
let time = 0;
beforeEach(async () => {
  time = 1_795_161_600;
  server = await HindsightStandIn.start({ now: () => time });
});
afterEach(() => server.close());

const ask = async (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') => {
  const response = await fetch(`${server.url}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return { status: response.status, body: JSON.stringify(await response.json()) };
};
const bank = '/v1/default/banks/b';
const retain = (content: string, more: object = {}, outer: object = {}) =>
  ask(`${bank}/memories`, { items: [{ content, document_id: 'd', ...more }], async: true, ...outer });
const id = '00000000-0000-8000-8000-000000000001';

/** The stand-in is only worth something if it behaves as the server does: these are that server's rules. */
describe('the stand-in server', () => {
  it('replaces, appends, joins arrays of objects, and overwrites before 0.5', async () => {
    await retain('[{"a":1}]');
    await retain('[{"b":2}]', { update_mode: 'append' });
    const joined = server.documents('b')['d'];
    await retain('more', { update_mode: 'append' });
    const mixed = server.documents('b')['d'];
    await retain('new');
    const replaced = server.documents('b')['d'];
    server.options = { ...server.options, server: 'overwrites' };
    await retain('again', { update_mode: 'append' });
    expect([joined, mixed, replaced, server.documents('b')['d'], server.violations]).toEqual([
      '[{"a":1},{"b":2}]',
      '[{"a":1},{"b":2}]\nmore',
      'new',
      'again',
      [],
    ]);
  });

  it('runs operations later, reports their states, and treats a repeated id as the same operation', async () => {
    server.options = { ...server.options, processing: () => ({ seconds: 5, fate: 'completes' }) };
    await retain('one', {}, { operation_id: id });
    const pending = await ask(`${bank}/operations/${id}`);
    const repeated = await retain('two', {}, { operation_id: id });
    time += 6;
    const completed = await ask(`${bank}/operations/${id}`);
    const elsewhere = await ask('/v1/default/banks/other/memories', {
      items: [{ content: 'x' }],
      async: true,
      operation_id: id,
    });
    const unknown = await ask(`${bank}/operations/00000000-0000-8000-8000-00000000000f`);
    expect([
      pending.body.includes('"pending"'),
      repeated.status,
      completed.body.includes('"completed"'),
      elsewhere.status,
      unknown.body.includes('"not_found"'),
      server.documents('b'),
    ]).toEqual([true, 200, true, 409, true, { d: 'one' }]);
  });

  it('refuses what the real one refuses', async () => {
    await retain('x');
    const statuses = {
      empty: (await retain(' ')).status,
      shape: (await ask(`${bank}/memories`, { items: 'x' })).status,
      badId: (await retain('x', {}, { operation_id: 'no' })).status,
      twice: (
        await ask(`${bank}/memories`, {
          items: [
            { content: 'a', document_id: 'd' },
            { content: 'b', document_id: 'd' },
          ],
          async: true,
        })
      ).status,
      badOperation: (await ask(`${bank}/operations/no`)).status,
      noBank: (await ask('/v1/default/banks/none/memories/recall', { query: 'x' })).status,
      noDocument: (await ask(`${bank}/documents/none`, undefined, 'DELETE')).status,
      longQuery: (await ask(`${bank}/memories/recall`, { query: 'word '.repeat(500) })).status,
      undescribed: (await ask('/v2/other')).status,
    };
    server.options = { ...server.options, key: 'k' };
    const unauthorized = (await ask(`${bank}/operations`)).status;
    expect({ ...statuses, unauthorized, violations: server.violations.map((line) => line.split(':')[0]) }).toEqual({
      empty: 422,
      shape: 422,
      badId: 422,
      twice: 400,
      badOperation: 400,
      noBank: 404,
      noDocument: 404,
      longQuery: 400,
      undescribed: 404,
      unauthorized: 401,
      violations: ['request retain_memories', 'GET /v2/other is not described'],
    });
  });

  it('matches tags in five ways', () => {
    const found = (mode: Parameters<typeof tagsMatch>[0]) =>
      [['a', 'b'], ['a'], ['c'], []].map((has) => tagsMatch(mode, ['a', 'b'], has));
    expect([found('any'), found('any_strict'), found('all'), found('all_strict'), found('exact')]).toEqual([
      [true, true, false, true],
      [true, true, false, false],
      [true, false, false, true],
      [true, false, false, false],
      [true, false, false, false],
    ]);
  });
});
