import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelRequest, WireAssistantContent, WireMessage } from '../../../../src/models/chatModel';
import { contractOf, keepContract } from '../../../../src/models/http/wireContract';
import type { JsonObject } from '../../../../src/transcript/json';
import { halfCharacters } from '../../../support/wellFormed';
import { prompt, request } from '../asking';

const half = '\ud83d';
const place = {
  chat: { protocol: 'openai', baseUrl: 'http://127.0.0.1:1/v1', modelId: 'm' },
  anthropic: { protocol: 'anthropic', baseUrl: 'https://api.anthropic.com/v1', modelId: 'claude' },
  gemini: {
    protocol: 'openai',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    modelId: 'gemini-3',
  },
  mistral: { protocol: 'openai', baseUrl: 'https://api.mistral.ai/v1', modelId: 'mistral-large' },
  moonshot: { protocol: 'openai', baseUrl: 'https://api.moonshot.ai/v1', modelId: 'kimi-k2' },
} as const;

const sentTo = (where: keyof typeof place, change: Partial<ModelRequest>) =>
  keepContract(request(change), contractOf(place[where]));

function called(
  calls: readonly { readonly callId?: string; readonly name?: string; readonly metadata?: JsonObject }[],
): readonly WireMessage[] {
  const full = calls.map(({ callId = 'c', name = 'f', metadata }): WireAssistantContent => ({
    kind: 'toolCall',
    callId,
    name,
    arguments: {},
    ...(metadata === undefined ? {} : { metadata }),
  }));
  return [
    prompt(),
    { role: 'assistant', content: full },
    {
      role: 'tool',
      results: calls.map(({ callId = 'c', name = 'f' }) => ({ callId, name, text: 'x', isError: false })),
    },
  ];
}

function pairsIn(messages: readonly WireMessage[]): readonly string[] {
  return messages.flatMap((message) => {
    switch (message.role) {
      case 'user':
        return [];
      case 'assistant':
        return message.content.flatMap((part) => (part.kind === 'toolCall' ? [`${part.callId} ${part.name}`] : []));
      case 'tool':
        return message.results.map((result) => `${result.callId} ${result.name}`);
    }
  });
}

describe('a request that keeps the contract of its service', () => {
  it('keeps whole strings, numbers, lists and images unchanged, and has no half pair anywhere', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, fc.jsonValue(), fc.boolean(), (said, value, tearing) => {
        const put = tearing ? `x${said}${half}` : `x${said}`;
        const given: JsonObject = JSON.parse(JSON.stringify({ [said]: value, put }));
        const images = [{ kind: 'image', mediaType: 'image/png', dataBase64: 'AAAA' }] as const;
        const what = request({
          system: put,
          cacheKey: put,
          messages: [
            { role: 'user', content: [{ kind: 'text', text: put }, ...images] },
            {
              role: 'assistant',
              content: [
                { kind: 'thinking', text: put, metadata: given },
                { kind: 'toolCall', callId: 'c', name: 'f', arguments: given, metadata: given },
              ],
            },
            { role: 'tool', results: [{ callId: 'c', name: 'f', text: put, isError: true, images }] },
          ],
          tools: [{ name: 'f', description: put, parameters: { type: 'object', properties: {} } }],
        });
        const { request: sent } = keepContract(what, contractOf(place.anthropic));
        expect(halfCharacters(sent)).toEqual([]);
        if (halfCharacters(what).length === 0) expect(sent).toEqual(what);
      }),
    );
  });

  it.each([
    ['multi_tool_use.parallel', 'multi_tool_use_parallel'],
    ['list directory', 'list_directory'],
    ['read_file<|channel|>commentary', 'read_file_channel_commentary'],
    ['view_file" path="a.txt', 'view_file_path_a_txt'],
    ['', 'tool_'],
    ['x'.repeat(140), 'x'.repeat(64)],
    ['läs', 'l_s'],
    ['read_file', 'read_file'],
  ])('names %j as %j in call and result', (name, plain) => {
    expect(pairsIn(sentTo('anthropic', { messages: called([{ name }]) }).request.messages)).toEqual([
      `c ${plain}`,
      `c ${plain}`,
    ]);
  });

  it.each([
    ['0day', 'tool_0day'],
    ['x', 'tool_x'],
    ['🙂', 'tool__'],
  ])('names %j as %j where a name begins with a letter and has three', (name, plain) => {
    expect(pairsIn(sentTo('moonshot', { messages: called([{ name }]) }).request.messages)[0]).toBe(`c ${plain}`);
  });

  it('uses each call id once, in call and result, and plain ones where the service wants them', () => {
    const messages = [
      ...called([{ callId: 'a b' }, { callId: 'a b' }]),
      ...called([{ callId: 'a b' }, { callId: 'functions.f:0' }, { callId: '' }]).slice(1),
    ];
    const ids = (where: keyof typeof place) =>
      pairsIn(sentTo(where, { messages }).request.messages).map((pair) => pair.replace(/ f$/, ''));
    expect(ids('chat')).toEqual(
      [
        'a_20b',
        'a_20b_d2',
        'a_20b',
        'a_20b_d2',
        'a_20b_d3',
        'functions.f:0',
        'call',
        'a_20b_d3',
        'functions.f:0',
        'call',
      ].map((id) => id.replace('a_20b_d', 'a_20b_d')),
    );
    expect(ids('anthropic')[5]).toBe('functions_2ef_3a0');
    expect(new Set(ids('mistral').slice(0, 2)).size).toBe(2);
    expect(ids('mistral').every((id) => /^[a-zA-Z0-9]{9}$/.test(id))).toBe(true);
  });

  it('gives calls of another model the documented filler where every call needs a signature', () => {
    const own = { endpoint: { thoughtSignature: 'mine' } };
    const messages = [
      ...called([{ callId: 'a' }, { callId: 'b' }]),
      ...called([{ callId: 'c', metadata: own }]).slice(1),
    ];
    const signatures = sentTo('gemini', { messages }).request.messages.flatMap((message) =>
      message.role === 'assistant' ? message.content.map(({ metadata }) => metadata?.['endpoint']) : [],
    );
    expect(signatures).toEqual([{ thoughtSignature: 'skip_thought_signature_validator' }, undefined, own.endpoint]);
  });

  it('sends no blank text', () => {
    const messages: readonly WireMessage[] = [
      prompt(' '),
      { role: 'assistant', content: [{ kind: 'text', text: '\n' }] },
      {
        role: 'user',
        content: [
          { kind: 'text', text: '\t' },
          { kind: 'text', text: 'Go on.' },
        ],
      },
    ];
    expect(
      sentTo('anthropic', { messages }).request.messages.map((message) =>
        message.role === 'tool' ? [] : message.content,
      ),
    ).toEqual([
      [{ kind: 'text', text: '(nothing)' }],
      [{ kind: 'text', text: '(nothing)' }],
      [{ kind: 'text', text: 'Go on.' }],
    ]);
  });
});

describe('pictures', () => {
  const bytes = (head: readonly number[], length = 64): string => {
    const data = Buffer.alloc(length);
    Buffer.from(head).copy(data);
    return data.toString('base64');
  };
  const png = [
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 9, 0, 0, 0, 9,
  ];
  const wide = [...png.slice(0, 16), 0, 0, 0x23, 0x28, ...png.slice(20)];
  it.each([
    ['a JPEG called PNG', { mediaType: 'image/png', dataBase64: bytes([0xff, 0xd8, 0xff]) }, 'image/jpeg'],
    ['a PNG called SVG', { mediaType: 'image/svg+xml', dataBase64: bytes(png) }, 'image/png'],
    ['an SVG', { mediaType: 'image/svg+xml', dataBase64: bytes([0x3c]) }, null],
    ['6 million letters of base64', { mediaType: 'image/png', dataBase64: bytes(png, 4_500_000) }, null],
    ['5,242,880 letters of base64', { mediaType: 'image/png', dataBase64: bytes(png, 3_932_160) }, 'image/png'],
    ['9,000 pixels', { mediaType: 'image/png', dataBase64: bytes(wide) }, null],
    ['nothing', { mediaType: 'image/png', dataBase64: '' }, null],
  ])('sends %s to Anthropic only as it can be read there', (_what, image, type) => {
    const images = [{ kind: 'image', ...image }] as const;
    const { request: sent, images: leftOut } = sentTo('anthropic', {
      messages: [
        { role: 'user', content: images },
        ...called([{}]).slice(1, 2),
        { role: 'tool', results: [{ callId: 'c', name: 'f', text: 'x', isError: false, images }] },
      ],
    });
    const types = sent.messages.flatMap((message) =>
      message.role === 'assistant'
        ? []
        : message.role === 'user'
          ? message.content.map((part) => (part.kind === 'image' ? part.mediaType : null))
          : message.results.map((result) => result.images?.[0]?.mediaType ?? null),
    );
    expect({ types, leftOut }).toEqual({ types: [type, type], leftOut: type === null ? 2 : 0 });
  });

  it('sends the newest ones where the service takes only some', () => {
    const image = { kind: 'image', mediaType: 'image/png', dataBase64: bytes(png) } as const;
    const { request: sent } = sentTo('mistral', { messages: [{ role: 'user', content: Array(10).fill(image) }] });
    const [message] = sent.messages;
    expect(message?.role === 'user' ? message.content.map(({ kind }) => kind) : []).toEqual([
      ...Array(2).fill('text'),
      ...Array(8).fill('image'),
    ]);
  });
});

describe('schemas of tools', () => {
  const fitted = (parameters: JsonObject, where: keyof typeof place = 'chat') =>
    sentTo(where, { tools: [{ name: 'f', description: 'F', parameters }] }).request.tools[0]?.parameters;
  const text = { type: 'string' };

  it.each<[string, JsonObject, JsonObject]>([
    [
      'a list without items',
      { type: 'object', properties: { a: { type: 'array' } } },
      { type: 'object', properties: { a: { type: 'array', items: {} } } },
    ],
    [
      'anyOf at the top',
      { type: 'object', anyOf: [{ properties: { a: text }, required: ['a'] }, { properties: { b: text } }] },
      { type: 'object', properties: { a: text, b: text } },
    ],
    [
      'allOf at the top',
      { type: 'object', properties: { c: text }, allOf: [{ properties: { a: text }, required: ['a'] }] },
      { type: 'object', properties: { a: text, c: text }, required: ['a'] },
    ],
    [
      'a limit of draft 4',
      { $schema: 'x', type: 'object', properties: { n: { type: 'number', minimum: 0, exclusiveMinimum: true } } },
      { type: 'object', properties: { n: { type: 'number', minimum: 0, exclusiveMinimum: 0 } } },
    ],
    [
      'required at a parameter',
      { type: 'object', properties: { a: { type: 'string', required: true } } },
      { type: 'object', properties: { a: text }, required: ['a'] },
    ],
    [
      'types of other languages',
      { type: 'object', properties: { a: { type: 'int' }, b: { type: 'any' }, c: { type: ['str', 'null'] } } },
      { type: 'object', properties: { a: { type: 'integer' }, b: {}, c: { type: ['string', 'null'] } } },
    ],
    [
      'a tuple',
      { type: 'object', properties: { a: { type: 'array', items: [text, { type: 'number' }] } } },
      { type: 'object', properties: { a: { type: 'array', items: { anyOf: [text, { type: 'number' }] } } } },
    ],
    [
      'empty lists',
      { type: 'object', properties: { a: { enum: [], anyOf: [] } }, required: ['gone'] },
      { type: 'object', properties: { a: {} }, required: [] },
    ],
    [
      'a reference to nowhere',
      { type: 'object', properties: { a: { $ref: '#/definitions/x', description: 'A' } } },
      { type: 'object', properties: { a: { description: 'A' } } },
    ],
    [
      'a pattern that is none',
      { type: 'object', properties: { a: { type: 'string', pattern: '[a-' }, b: { type: 'string', pattern: '^a$' } } },
      { type: 'object', properties: { a: text, b: { type: 'string', pattern: '^a$' } } },
    ],
  ])('makes %s valid', (_what, given, expected) => {
    expect(fitted(given)).toEqual(expected);
  });

  it('renames parameters that services refuse, and gives the tool its own names', () => {
    const parameters = {
      type: 'object',
      properties: { 'filter[name]': text, filter_name_: text },
      required: ['filter[name]'],
    };
    const kept = sentTo('anthropic', { tools: [{ name: 'a tool', description: 'F', parameters }] });
    const [tool] = kept.request.tools;
    expect(tool).toMatchObject({ name: 'a_tool', parameters: { required: ['filter_name_'] } });
    const own = kept.ownNames({ callId: 'c', name: 'a_tool', arguments: '{"filter_name_":"x"}' });
    expect(own).toEqual({ callId: 'c', name: 'a tool', arguments: '{"filter[name]":"x"}' });
  });

  it('loses only a reference that is odd, and requires only what it has', () => {
    const given = { type: 'object', properties: { a: { $ref: '#/$defs/100%' } }, required: ['a', 'toString'] };
    expect(fitted(given, 'gemini')).toEqual({
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
    });
  });

  it('has only what every service reads for those that read little', () => {
    const given: JsonObject = {
      type: 'object',
      additionalProperties: false,
      properties: {
        a: { type: ['string', 'null'], format: 'uuid' },
        b: { $ref: '#/$defs/node' },
        c: { const: 'x' },
        d: { enum: [1, 2] },
      },
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    };
    const sent = JSON.stringify(fitted(given, 'gemini'));
    expect(sent).not.toMatch(/\$ref|\$defs|additionalProperties|const|format|\["string/);
    expect(fitted(given, 'gemini')).toMatchObject({ properties: { a: text, c: { type: 'string', enum: ['x'] } } });
  });
});
