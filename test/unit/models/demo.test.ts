import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/base/clock';
import { setTranslations } from '../../../src/base/translate';
import type { ModelRequest, WireMessage } from '../../../src/models/chatModel';
import { DemoModel } from '../../../src/models/demo/demoModel';
import { demoPrompts, demoRequest, type DemoRequest } from '../../../src/models/demo/demoPrompts';
import { ManualClock } from '../../support/manualClock';
import { ask, follow, prompt, request, textOf } from './asking';

/** Time that passes at once. */
const instant: Clock = {
  now: () => 1_700_000_000,
  monotonicMs: () => 0,
  after: (_ms, callback) => {
    const timer = setImmediate(callback);
    return () => clearImmediate(timer);
  },
};
const tools = ['read_file', 'list_directory', 'search_files'].map((name) => ({
  name,
  description: name,
  parameters: { type: 'object' },
}));
const asked = (
  text: string,
  result?: { readonly name: string; readonly text: string; readonly isError?: boolean },
): ModelRequest => {
  const answered: readonly WireMessage[] =
    result === undefined
      ? []
      : [
          { role: 'assistant', content: [{ kind: 'toolCall', callId: 'd', name: result.name, arguments: {} }] },
          {
            role: 'tool',
            results: [{ callId: 'd', name: result.name, text: result.text, isError: result.isError ?? false }],
          },
        ];
  return request({ messages: [prompt(text), ...answered], tools });
};
const answer = async (what: ModelRequest): Promise<string> => textOf((await ask(new DemoModel(instant), what)).events);
const calls = async (what: ModelRequest): Promise<readonly string[]> => {
  const { terminal } = await ask(new DemoModel(instant), what);
  return terminal.outcome === 'complete'
    ? terminal.toolCalls.map((call) => `${call.name} ${call.arguments}`)
    : [terminal.outcome];
};

describe('Demo', () => {
  it("looks at the folder and searches it with the agent's own tools", async () => {
    expect(
      await Promise.all(
        [demoPrompts()[0], demoPrompts()[1], demoPrompts()[2], 'find retry( in this folder'].map((text) =>
          calls(asked(text)),
        ),
      ),
    ).toEqual([
      ['list_directory {"path":"."}'],
      ['search_files {"query":"TODO"}'],
      ['list_directory {"path":"."}'],
      ['search_files {"query":"retry("}'],
    ]);
  });

  it('answers a search with links to the lines found', async () => {
    const found = 'src/up load.ts\n12: retry(3);\n40: // retry later\n\nREADME.md\n1: `retry`';
    expect(await answer(asked('Search for "retry"', { name: 'search_files', text: found }))).toBe(
      [
        'I searched the folder for `retry`: 3 lines in 2 files.',
        '- [src/up load.ts:12](src/up%20load.ts#L12): `retry(3);`\n- [src/up load.ts:40](src/up%20load.ts#L40): `// retry later`\n- [README.md:1](README.md#L1): `` `retry` ``',
      ].join('\n\n'),
    );
  });

  it('reports a search that found nothing, and a tool that failed', async () => {
    expect(await answer(asked('search for xyz', { name: 'search_files', text: 'No line matches "xyz".' }))).toBe(
      'I searched the folder for `xyz` and found nothing.',
    );
    expect(
      await answer(asked('search for xyz', { name: 'search_files', text: 'No folder is open.', isError: true })),
    ).toBe('I tried to search the folder, and the tool said:\n\n> No folder is open.');
  });

  it('lists the folder', async () => {
    expect(
      await answer(asked(demoPrompts()[0], { name: 'list_directory', text: 'src/\nREADME.md\npackage.json' })),
    ).toContain(
      'This folder holds 1 folder and 2 files.\n\n**Folders:** `src/`\n\n**Files:** [README.md](README.md), [package.json](package.json)',
    );
  });

  it('gives a long Markdown answer with headings, a list, a table and code', async () => {
    const text = await answer(asked(demoPrompts()[2], { name: 'list_directory', text: 'src/\nREADME.md' }));
    expect([
      text.length >= 1200,
      /^## /m.test(text),
      /^- /m.test(text),
      /^\| `src\/` \| folder \|$/m.test(text),
      /^```sql$/m.test(text),
    ]).toEqual([true, true, true, true, true]);
  });

  it('can be stopped in the middle, and keeps what it has said', async () => {
    const clock = new ManualClock();
    const stop = new AbortController();
    const stream = new DemoModel(clock).stream(
      asked(demoPrompts()[2], { name: 'list_directory', text: 'a' }),
      stop.signal,
    );
    await clock.advance(30 * 10);
    stop.abort();
    const { events, terminal } = await follow(stream);
    expect([events.length, terminal, clock.waiting]).toEqual([
      10,
      { outcome: 'aborted', usage: null, requestId: null },
      0,
    ]);
  });

  it('answers anything else by saying that it is a script, what it can do and how to get real answers', async () => {
    const text = await answer(asked('Why does upload.test.ts fail?'));
    expect(text).toMatch(/I am a script, not an AI/);
    expect([...demoPrompts(), 'Set Up Model'].every((words) => text.includes(words))).toBe(true);
  });

  it('calls no tool that it was not given', async () => {
    const { terminal } = await ask(new DemoModel(instant), request({ messages: [prompt(demoPrompts()[1])] }));
    expect(terminal).toMatchObject({ outcome: 'complete', toolCalls: [], finish: { unified: 'stop' } });
  });

  it('answers the last prompt, not the one before', async () => {
    const before = asked(demoPrompts()[1], { name: 'search_files', text: 'a\n1: TODO' });
    expect(
      await calls({
        ...before,
        messages: [
          ...before.messages,
          { role: 'assistant', content: [{ kind: 'text', text: 'x' }] },
          prompt(demoPrompts()[0]),
        ],
      }),
    ).toEqual(['list_directory {"path":"."}']);
  });

  it('recognizes a search that is written with the words of the editor’s language in any order', () => {
    const recognized = (translation: string): DemoRequest => {
      setTranslations({ language: 'xx', texts: { 'Search for “{query}”': translation } });
      return demoRequest(demoPrompts()[1]);
    };
    const search = { kind: 'search', query: 'TODO' };
    expect(['Nach „{query}“ suchen', '「{query}」を検索', 'Zoek naar {query}'].map(recognized)).toEqual([
      search,
      search,
      search,
    ]);
    setTranslations({ language: 'en', texts: {} });
  });

  it.each([
    ['Search for TODO', { kind: 'search', query: 'TODO' }],
    ['search “two words”.', { kind: 'search', query: 'two words' }],
    ['look for export in the folder?', { kind: 'search', query: 'export' }],
    ["What's in this project?", { kind: 'folder' }],
    ['Tell me a long story about this folder', { kind: 'long' }],
    ['How long is the answer?', { kind: 'long' }],
    ['Research this', { kind: 'other' }],
    ['', { kind: 'other' }],
  ])('recognizes %j by fixed words', (text, expected) => {
    expect(demoRequest(text)).toEqual(expected);
  });
});
