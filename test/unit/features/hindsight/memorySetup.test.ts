import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../../../src/base/log';
import { systemClock } from '../../../../src/base/clock';
import { createHindsightApi } from '../../../../src/features/hindsight/core/client/index';
import { HindsightStandIn } from '../../../support/hindsight/standIn';

/** What the person answers, in order, and what they were asked. */
const { person } = vi.hoisted(() => ({ person: { answers: [] as (string | undefined)[], asked: [] as string[] } }));
vi.mock('vscode', () => ({
  ProgressLocation: { Notification: 15 },
  window: {
    showQuickPick: async (items: readonly { label: string; description?: string; detail: string }[]) => {
      const shown = items.map(({ label, description }) =>
        description === undefined ? label : `${label} (${description})`,
      );
      person.asked.push(`pick: ${shown.join(' · ')}`);
      const answer = person.answers.shift();
      return items.find(({ label }) => label === answer);
    },
    showInputBox: async ({ prompt, password, value }: { prompt: string; password?: boolean; value?: string }) => {
      person.asked.push(`${password === true ? 'key' : 'input'}: ${prompt.split('.')[0] ?? ''}`);
      const answer = person.answers.shift();
      return answer === 'default' ? value : answer;
    },
    showInformationMessage: async (sentence: string, options?: { modal?: boolean }) => {
      person.asked.push(sentence);
      return options?.modal === true ? person.answers.shift() : undefined;
    },
    showErrorMessage: async (sentence: string) => {
      person.asked.push(sentence);
      return person.answers.shift();
    },
    withProgress: async (_options: unknown, work: (progress: unknown, token: unknown) => Promise<unknown>) =>
      work({}, { onCancellationRequested: () => undefined }),
  },
}));
const { WindowMemory } = await import('../../../../src/host/window/windowMemory');
const { builtinChoice } = await import('../../../../src/features/builtinMemory');
const { HindsightSetup } = await import('../../../../src/features/hindsight/host/hindsightSetup');

let server: HindsightStandIn;
beforeEach(async () => {
  server = await HindsightStandIn.start();
  person.asked.length = 0;
});
afterEach(() => server.close());

/** Runs the set-up with these answers; what was kept, what was written, what the server saw. */
async function setUp(
  answers: readonly (string | undefined)[],
  kept: Readonly<Record<string, string>> = {},
  provider = 'builtin',
) {
  person.answers = [...answers];
  const keys: Record<string, string> = { ...kept };
  const saved: string[] = [];
  const memory = new WindowMemory(
    { current: { memoryProvider: provider }, saveMemoryProvider: async (chosen) => void saved.push(chosen) },
    silentLog,
  );
  memory.local.fill(builtinChoice(memory));
  memory.server.fill(
    new HindsightSetup(
      {
        connectionTo: (place, key) => ({
          place,
          api: createHindsightApi({
            place,
            key,
            fetch: globalThis.fetch,
            after: (ms, run) => systemClock.after(ms, run),
          }),
        }),
        keyOf: async (origin) => keys[origin],
        keepKey: async (origin, key) => void (keys[origin] = key),
        changed: () => saved.push('changed'),
      },
      {
        current: { hindsightUrl: null, hindsightBank: null },
        saveHindsight: async (url, bank) => void saved.push(`${url} ${bank}`),
      },
    ),
  );
  await memory.setUp();
  return {
    keys,
    saved,
    seen: server.requests.map(({ operation, authorization }) => `${operation} ${authorization ?? '-'}`),
  };
}

describe('Set Up Memory…', () => {
  it('begins with the choice of a memory, and marks the current one', async () => {
    const left = await setUp([undefined], {}, 'none');
    const kept = await setUp(['Built-in']);
    const on = await setUp(['Built-in'], {}, 'hindsight');
    const off = await setUp(['Off'], {}, 'graph');
    expect([[left, kept, on, off].map(({ saved, seen }) => [saved, seen]), person.asked]).toEqual([
      [
        [[], []],
        [[], []],
        [['builtin'], []],
        [['none'], []],
      ],
      [
        'pick: Built-in · Hindsight Server… · Off (current)',
        'pick: Built-in (current) · Hindsight Server… · Off',
        'pick: Built-in · Hindsight Server… (current) · Off',
        'Built-in memory is on, starting with your next prompt.',
        'pick: Built-in · Hindsight Server… · Off · graph (current)',
        'Memory is off, starting with your next prompt. Existing notes are kept.',
      ],
    ]);
  });

  it('says what is sent where before it connects, and sends nothing if the user declines', async () => {
    const outcome = await setUp(['Hindsight Server…', server.url, 'default', undefined]);
    expect({ ...outcome, asked: person.asked }).toEqual({
      keys: {},
      saved: [],
      seen: [],
      asked: [
        'pick: Built-in (current) · Hindsight Server… · Off',
        'input: Hindsight server address',
        'input: Memory bank',
        `Completed turns from every session in this workspace are sent to ${new URL(server.url).host}. ` +
          'Deleting a session here does not delete them there.',
      ],
    });
  });

  it('connects to a server on this machine without a key', async () => {
    expect(await setUp(['Hindsight Server…', `${server.url}/`, ' team ', 'Connect'])).toEqual({
      keys: {},
      saved: [`${server.url} team`, 'changed'],
      seen: ['get_version -', 'list_operations -', 'list_operations -'],
    });
  });

  it('asks for a key if the server refuses it, and keeps the one that works for this origin', async () => {
    server.options = { key: 'right' };
    const outcome = await setUp([
      'Hindsight Server…',
      server.url,
      'hermes',
      'Connect',
      'Enter a Key',
      'wrong',
      'Enter a Key',
      'right',
    ]);
    expect({
      keys: outcome.keys,
      saved: outcome.saved,
      said: person.asked.flatMap((sentence) => /(requires a key|refused the key) \(401\)/.exec(sentence)?.[1] ?? []),
    }).toEqual({
      keys: { [server.url]: 'right' },
      saved: [`${server.url} hermes`, 'changed'],
      said: ['requires a key', 'refused the key'],
    });
  });

  it.each([
    ['is broken', 500, 'failed (500)'],
    ['is busy', 503, 'is busy (503)'],
    ['is something else', 404, undefined],
  ] as const)('changes nothing if the server %s, and says so', async (_what, status, words) => {
    server.options = { fault: (operation) => (operation === 'get_version' ? (status === 404 ? 302 : status) : null) };
    const outcome = await setUp(['Hindsight Server…', server.url, 'hermes', 'Connect']);
    expect({
      keys: outcome.keys,
      saved: outcome.saved,
      said: person.asked.at(-1)?.includes(words ?? 'isn’t Hindsight. Nothing was changed.'),
    }).toEqual({ keys: {}, saved: [], said: true });
  });

  it('says that no server answers', async () => {
    const { url } = server;
    await server.close();
    const outcome = await setUp(['Hindsight Server…', url, 'hermes', 'Connect']);
    server = await HindsightStandIn.start();
    expect({ saved: outcome.saved, said: person.asked.at(-1) }).toEqual({
      saved: [],
      said:
        `Can’t reach ${new URL(url).host} (ECONNREFUSED). Nothing was changed. Start the server, or ` +
        'correct the address.',
    });
  });
});
