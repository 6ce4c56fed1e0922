import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { ModelCatalog } from '../../../../src/models/catalog/catalog';
import type { ModelInfo } from '../../../../src/models/modelInfo';
import type { CatalogDeps } from '../../../../src/models/catalog/catalog';
import { DemoProvider } from '../../../../src/models/demo/demoProvider';
import { ModelError } from '../../../../src/models/modelProvider';
import { azureResource } from '../../../../src/models/azureOpenai';
import { parseEndpoint } from '../../../../src/models/http/endpoint';
import { recognizeKey, servicePresets } from '../../../../src/models/presets';
import { createTransports } from '../../../../src/models/providers/index';
import { ManualClock } from '../../../support/manualClock';
import { reply, startModelServer } from '../../../support/modelServer';
import type { ModelServer, ModelServerOptions } from '../../../support/modelServer';
import { ask } from '../asking';

const running: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function start(options: ModelServerOptions = {}): Promise<ModelServer> {
  const server = await startModelServer(options);
  running.push(server);
  return server;
}

function catalog(
  change: Partial<CatalogDeps> & { readonly keys?: Readonly<Record<string, string>> } = {},
): ModelCatalog {
  const { keys = {}, ...parts } = change;
  return new ModelCatalog({
    settings: () => [],
    others: [],
    keyOf: (name, origin) => Promise.resolve(keys[`${name} ${origin}`]),
    loadTransports: () => Promise.resolve(createTransports()),
    fetch: globalThis.fetch,
    clock: systemClock,
    localServers: [],
    ...parts,
  });
}

const never = new AbortController().signal;
/** The models of the first source of a catalog. */
async function modelsOf(change: Parameters<typeof catalog>[0]): Promise<readonly ModelInfo[]> {
  const [first] = await catalog(change).list(never);
  return first?.listing.kind === 'models' ? first.listing.models : [];
}
const at = (name: string, { url }: ModelServer) => ({
  settings: () => [{ name, protocol: 'openai' as const, baseUrl: url }],
});
/** What is known of a model, as one line. */
const facts = ({
  id,
  contextWindow,
  allocatedContext,
  tools,
  images,
  efforts,
}: Omit<ModelInfo, 'ref' | 'label'>): string =>
  `${id}: ${contextWindow}, ${allocatedContext} allocated, tools ${tools}, images ${images}, ${efforts.length} efforts`;
const failureOf = (opening: Promise<unknown>): Promise<{ readonly cause: string; readonly sentence: string }> =>
  opening.then(
    () => Promise.reject(new Error('it was opened')),
    (error: unknown) =>
      error instanceof ModelError
        ? { cause: error.failure.cause, sentence: error.failure.sentence }
        : Promise.reject(error),
  );

/** A fetch that answers hosted addresses from a table of documents, and keeps what it was asked. */
function hosted(documents: Readonly<Record<string, unknown>>): {
  readonly fetch: typeof globalThis.fetch;
  readonly asked: { readonly url: string; readonly headers: Record<string, string> }[];
} {
  const asked: { url: string; headers: Record<string, string> }[] = [];
  return {
    asked,
    fetch: (input, init) => {
      const url = String(input);
      asked.push({ url, headers: Object.fromEntries(new Headers(init?.headers)) });
      const document = documents[url];
      return Promise.resolve(
        document === undefined
          ? new Response('{"error":{"message":"no such page"}}', { status: 401 })
          : Response.json(document),
      );
    },
  };
}

describe('the catalog', () => {
  it('opens a model of a configured endpoint and sends it a request', async () => {
    const server = await start({ models: ['org/name-with/slashes'] });
    server.script(reply().says('Hello.'));
    const model = await catalog(at('Local', server)).resolve('Local/org/name-with/slashes', never);
    const { terminal } = await ask(model);
    expect({ ref: model.info.ref, destination: model.info.destination, outcome: terminal.outcome }).toEqual({
      ref: 'Local/org/name-with/slashes',
      destination: new URL(server.url).host,
      outcome: 'complete',
    });
  });

  it('says in a sentence why a model cannot be opened', async () => {
    const settings = [{ name: 'Broken', protocol: 'openai' as const, baseUrl: 'localhost:1234' }];
    const asked = catalog({ settings: () => settings });
    expect(
      await Promise.all(
        ['', 'nothing', 'Nowhere/x', 'Broken/x', 'OpenAI/gpt-5'].map((ref) =>
          failureOf(asked.resolve(ref, never)).then(({ cause }) => cause),
        ),
      ),
    ).toEqual(['noModel', 'noModel', 'noModel', 'badRequest', 'noKey']);
  });

  it('sends a key only to the origin it was entered for', async () => {
    const web = hosted({ 'https://moved.example/v1/models': { data: [{ id: 'm' }] } });
    const asked = catalog({
      fetch: web.fetch,
      keys: { 'Work https://work.example': 'sk-work' },
      settings: () => [{ name: 'Work', protocol: 'openai', baseUrl: 'https://moved.example/v1' }],
    });
    expect(await failureOf(asked.resolve('Work/m', never))).toMatchObject({ cause: 'noKey' });
    expect(web.asked).toEqual([]);
  });

  it('lists every source side by side, and a source that fails reports it', async () => {
    const good = await start({ models: ['a', 'text-embedding-3', 'b'] });
    const bad = await start({ key: 'sk-right' });
    const listed = await catalog({
      settings: () => [
        { name: 'Good', protocol: 'openai', baseUrl: good.url },
        { name: 'Bad', protocol: 'openai', baseUrl: bad.url },
      ],
      keys: { [`Bad ${bad.origin}`]: 'sk-wrong' },
      others: [new DemoProvider(systemClock)],
    }).list(never);
    expect(
      listed.map(({ provider, listing }) => [
        provider.name,
        listing.kind === 'models' ? listing.models.map(({ ref }) => ref) : listing.failure.sentence,
      ]),
    ).toEqual([
      ['Good', ['Good/a', 'Good/b']],
      ['Bad', 'The key for Bad was refused (401). Set a new key.'],
      ['Demo', ['Demo/script']],
    ]);
  });

  it('recognizes services by their key alone', async () => {
    const asked = catalog({
      keys: { 'Anthropic https://api.anthropic.com': 'sk-ant-1', 'Groq https://api.groq.com': 'gsk_1' },
    });
    expect((await asked.providers()).map(({ name, destination }) => [name, destination])).toEqual([
      ['Anthropic', 'api.anthropic.com'],
      ['Groq', 'api.groq.com'],
    ]);
  });

  it("prefers the models and facts in the settings over the endpoint's own", async () => {
    const server = await start({ models: ['from-server'] });
    const models = [{ id: 'mine', contextWindow: 65_536, tools: false, images: true }];
    const [listed, ...others] = await modelsOf({
      settings: () => [{ name: 'Local', protocol: 'openai', baseUrl: server.url, models }],
    });
    expect([listed?.ref, listed?.contextWindow, listed?.tools, listed?.images, others]).toEqual([
      'Local/mine',
      65_536,
      false,
      true,
      [],
    ]);
    expect(server.paths).toEqual([]);
  });

  it('opens a model even if its server does not list it', async () => {
    const clock = new ManualClock();
    const silent: typeof globalThis.fetch = (_input, init) =>
      new Promise((_resolve, fail) => init?.signal?.addEventListener('abort', () => fail(new Error('aborted'))));
    const opening = catalog({
      fetch: silent,
      clock,
      settings: () => [{ name: 'Local', protocol: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }],
    }).resolve('Local/x', never);
    await clock.untilWaiting(2);
    await clock.advance(2000);
    await clock.untilWaiting();
    await clock.advance(2000);
    expect((await opening).info).toMatchObject({
      ref: 'Local/x',
      contextWindow: null,
      tools: null,
      efforts: ['default'],
      warnings: [],
    });
  });
});

describe('what the catalog knows about a model', () => {
  it('comes from Ollama, with the context that Ollama really allocates', async () => {
    const server = await start({
      local: 'ollama',
      models: [
        { id: 'qwen3:8b', capabilities: ['completion', 'tools', 'thinking'], contextLength: 40_960 },
        { id: 'set:1b', capabilities: ['completion', 'tools'], contextLength: 131_072, numCtx: 32_768 },
        { id: 'loaded:1b', capabilities: ['completion', 'vision'], contextLength: 131_072, loadedContext: 8192 },
        { id: 'embed:1b', capabilities: ['embedding'] },
      ],
    });
    const models = await modelsOf(at('Ollama', server));
    const small =
      'longer requests are cut off. Start it with `OLLAMA_CONTEXT_LENGTH=32768 ollama serve`, or set `PARAMETER num_ctx 32768` in a Modelfile.';
    expect(models.map((model) => [facts(model), ...model.warnings])).toEqual([
      [
        'qwen3:8b: 40960, 4096 allocated, tools true, images false, 5 efforts',
        `qwen3:8b is given only 4,096 tokens here, and ${small}`,
      ],
      ['set:1b: 131072, 32768 allocated, tools true, images false, 1 efforts'],
      [
        'loaded:1b: 131072, 8192 allocated, tools false, images true, 1 efforts',
        'loaded:1b can’t call tools, so it can only chat. It can’t read files or search the folder.',
        `loaded:1b is given only 8,192 tokens here, and ${small}`,
      ],
    ]);
  });

  it('is read again from a local server each time a model is opened', async () => {
    const server = await start({
      local: 'ollama',
      models: [
        { id: 'qwen3:latest', capabilities: ['completion', 'tools'], contextLength: 40_960, loadedContext: 32_768 },
      ],
    });
    const model = await catalog(at('Ollama', server)).resolve('Ollama/qwen3', never);
    expect(model.info).toMatchObject({ ref: 'Ollama/qwen3', allocatedContext: 32_768, tools: true, warnings: [] });
  });

  it('comes from LM Studio', async () => {
    const server = await start({
      local: 'lmstudio',
      models: [
        { id: 'q', type: 'vlm', contextLength: 32_768, loadedContext: 4096, capabilities: ['tool_use'] },
        { id: 'e', type: 'embeddings' },
      ],
    });
    expect((await modelsOf(at('LM Studio', server))).map((model) => [facts(model), ...model.warnings])).toEqual([
      [
        'q: 32768, 4096 allocated, tools true, images true, 1 efforts',
        'q is given only 4,096 tokens here, and longer requests are cut off. Load it in LM Studio with a larger context length.',
      ],
    ]);
  });

  it('comes from vLLM', async () => {
    const server = await start({ models: [{ id: 'v', extra: { max_model_len: 8192 } }] });
    expect(await modelsOf(at('vLLM', server))).toMatchObject([
      {
        contextWindow: 8192,
        allocatedContext: 8192,
        warnings: [
          'v takes only 8,192 tokens, which is too little to work with files. Choose a model with a larger context.',
        ],
      },
    ]);
  });

  it.each([
    ['a context size as text', { id: 'odd', context_length: '64000' }, ['odd 64000', 'sound 8192']],
    ['a context size that is no number', { id: 'odd', context_length: 'large' }, ['odd null', 'sound 8192']],
    ['a negative context size', { id: 'odd', context_length: -1 }, ['odd null', 'sound 8192']],
    ['id null', { id: null }, ['sound 8192']],
    ['an empty id', { id: '' }, ['sound 8192']],
    ['a number for an id', { id: 7 }, ['sound 8192']],
    [
      'words for objects',
      { id: 'odd', pricing: 'free', architecture: 'moe', capabilities: 'all' },
      ['odd null', 'sound 8192'],
    ],
    ['odd prices', { id: 'odd', pricing: { prompt: [], completion: {} } }, ['odd null', 'sound 8192']],
    ['odd parameters', { id: 'odd', supported_parameters: ['tools', 5, null] }, ['odd null', 'sound 8192']],
    ['a list for a name', { id: 'odd', name: ['a'], display_name: 3 }, ['odd null', 'sound 8192']],
    ['null', null, ['sound 8192']],
    ['a word', 'odd', ['sound 8192']],
    ['a list', [], ['sound 8192']],
  ])('reads each entry of a list by itself: one with %s', async (_what, odd, expected) => {
    const web = hosted({ 'https://api.x.ai/v1/models': { data: [odd, { id: 'sound', context_length: 8192 }] } });
    const [listed] = await catalog({ fetch: web.fetch, keys: { 'xAI https://api.x.ai': 'xai-1' } }).list(never);
    expect(
      listed?.listing.kind === 'models'
        ? listed.listing.models.map(({ id, contextWindow }) => `${id} ${contextWindow}`)
        : listed?.listing,
    ).toEqual(expected);
  });

  it('says that a list cannot be read when none of its entries can', async () => {
    const web = hosted({ 'https://api.x.ai/v1/models': { data: [null, { name: 'x' }] } });
    const [listed] = await catalog({ fetch: web.fetch, keys: { 'xAI https://api.x.ai': 'xai-1' } }).list(never);
    expect(listed?.listing.kind).toBe('failed');
  });

  it('takes a price and a context size that neither the server nor the user says from the snapshot', async () => {
    const web = hosted({
      'https://api.x.ai/v1/models': {
        data: [{ id: 'grok-a' }, { id: 'grok-b', context_length: 64_000 }, { id: 'grok-c' }],
      },
    });
    const row: [number, number, null, null, number, null] = [2, 10, null, null, 256_000, null];
    const prices = () =>
      Promise.resolve({
        source: 'a test',
        date: '2026-11-10',
        providers: {
          xai: { 'grok-a': row, 'grok-b': row },
        },
      });
    const listed = await catalog({ fetch: web.fetch, prices, keys: { 'xAI https://api.x.ai': 'xai-1' } }).list(never);
    const described = await catalog({
      prices,
      settings: () => [
        {
          name: 'Mine',
          protocol: 'openai',
          baseUrl: 'https://api.x.ai/v1',
          models: [{ id: 'grok-a', contextWindow: 100_000 }],
        },
      ],
      keys: { 'Mine https://api.x.ai': 'xai-1' },
    }).list(never);
    expect(
      [...listed, ...described].flatMap(({ listing }) =>
        listing.kind === 'models'
          ? listing.models.map(({ ref, contextWindow, price }) => [ref, contextWindow, price])
          : [],
      ),
    ).toEqual([
      ['xAI/grok-a', 256_000, { input: 2, output: 10 }],
      ['xAI/grok-b', 64_000, { input: 2, output: 10 }],
      ['xAI/grok-c', null, null],
      ['Mine/grok-a', 100_000, { input: 2, output: 10 }],
    ]);
  });

  it('is free on this machine, unless its server lists a price', async () => {
    const server = await start({ models: ['m'] });
    const model = await catalog(at('Local', server)).resolve('Local/m', never);
    expect(model.info.price).toMatchObject({ input: 0, output: 0 });
  });

  it('comes from OpenRouter, with prices per million tokens', async () => {
    const web = hosted({
      'https://openrouter.ai/api/v1/models': {
        data: [
          {
            id: 'z/agent',
            name: 'Z Agent',
            context_length: 200_000,
            pricing: {
              prompt: '0.000003',
              completion: '0.000015',
              input_cache_read: '0.0000003',
              input_cache_write: '',
            },
            supported_parameters: ['tools', 'reasoning'],
            architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
          },
          {
            id: 'z/chat',
            name: 'Z Chat',
            context_length: 32_000,
            pricing: { prompt: '-1', completion: '-1' },
            supported_parameters: ['temperature'],
            architecture: { input_modalities: ['text'] },
          },
          {
            id: 'z/draws',
            name: 'Z Draws',
            architecture: { input_modalities: ['text'], output_modalities: ['image'] },
          },
        ],
      },
    });
    const listed = await catalog({ fetch: web.fetch, keys: { 'OpenRouter https://openrouter.ai': 'sk-or-1' } }).list(
      never,
    );
    expect(listed.map(({ listing }) => listing)).toMatchObject([
      {
        models: [
          {
            ref: 'OpenRouter/z/agent',
            label: 'Z Agent',
            destination: 'openrouter.ai',
            contextWindow: 200_000,
            tools: true,
            images: true,
            efforts: ['default', 'low', 'medium', 'high'],
            price: { input: 3, output: 15, cachedInput: 0.3 },
          },
          { ref: 'OpenRouter/z/chat', tools: false, images: false, efforts: ['default'], price: null },
        ],
      },
    ]);
    expect(web.asked).toMatchObject([
      { url: 'https://openrouter.ai/api/v1/models', headers: { authorization: 'Bearer sk-or-1' } },
    ]);
  });

  it('comes from the lists of Gemini, Together and Fireworks', async () => {
    const gemini = 'https://generativelanguage.googleapis.com/v1beta/openai';
    const web = hosted({
      [`${gemini}/models`]: {
        object: 'list',
        data: [
          { id: 'models/gemini-2.5-pro', object: 'model', owned_by: 'google', display_name: 'Gemini 2.5 Pro' },
          { id: 'models/text-embedding-004', object: 'model', owned_by: 'google' },
          { id: 'models/imagen-4.0-generate-001', object: 'model', owned_by: 'google' },
          { id: 'models/veo-3.0-generate-001', object: 'model', owned_by: 'google' },
        ],
      },
      'https://api.together.ai/v1/models': [
        { id: 'openai/gpt-oss-20b', type: 'chat', display_name: 'GPT-OSS 20B', context_length: 131_072 },
        { id: 'black-forest-labs/FLUX.1', type: 'image' },
      ],
      'https://api.fireworks.ai/inference/v1/models': {
        data: [
          {
            id: 'accounts/fireworks/models/kimi',
            supports_chat: true,
            supports_tools: true,
            supports_image_input: false,
            context_length: 262_144,
          },
          { id: 'accounts/fireworks/models/flux', supports_chat: false },
        ],
      },
    });
    const asked = catalog({ fetch: web.fetch });
    const listed = async (name: string, baseUrl: string): Promise<unknown> => {
      const listing = await asked.testConnection({ name, protocol: 'openai', baseUrl }, 'k-1', never);
      return listing.kind === 'failed'
        ? listing
        : listing.models.map(({ ref, label, ...model }) => `${ref} (${label}) ${facts(model)}`);
    };
    expect([
      await listed('Google Gemini', gemini),
      await listed('Together', 'https://api.together.ai/v1'),
      await listed('Fireworks', 'https://api.fireworks.ai/inference/v1'),
    ]).toEqual([
      [expect.stringMatching(/^Google Gemini\/gemini-2.5-pro \(Gemini 2.5 Pro\) .*: null, .* tools null, images null/)],
      [expect.stringMatching(/^Together\/openai\/gpt-oss-20b \(GPT-OSS 20B\) .*: 131072, .* tools null, images null/)],
      [expect.stringMatching(/^Fireworks\/accounts\/fireworks\/models\/kimi .*: 262144, .* tools true, images false/)],
    ]);
  });

  it('comes from Anthropic, completed with what every Claude model can do', async () => {
    const web = hosted({
      'https://api.anthropic.com/v1/models?limit=1000': {
        data: [{ id: 'claude-sonnet-4-5', display_name: 'Claude Sonnet 4.5' }, { id: 'claude-3-haiku-20240307' }],
      },
    });
    const listed = await catalog({
      fetch: web.fetch,
      keys: { 'Anthropic https://api.anthropic.com': 'sk-ant-1' },
    }).list(never);
    expect(listed.map(({ listing }) => listing)).toMatchObject([
      {
        models: [
          {
            label: 'Claude Sonnet 4.5',
            contextWindow: 200_000,
            tools: true,
            images: true,
            efforts: ['default', 'none', 'low', 'medium', 'high'],
          },
          { id: 'claude-3-haiku-20240307', efforts: ['default'] },
        ],
      },
    ]);
    expect(web.asked[0]?.headers).toMatchObject({ 'x-api-key': 'sk-ant-1', 'anthropic-version': '2023-06-01' });
  });
});

describe('the connection test', () => {
  it('returns the models, or the reason for the failure', async () => {
    const server = await start({ key: 'sk-right', models: ['m'] });
    const settings = { name: 'New', protocol: 'openai' as const, baseUrl: server.url };
    const asked = catalog();
    expect([
      await asked.testConnection(settings, 'sk-right', never),
      await asked.testConnection(settings, 'sk-wrong', never),
    ]).toMatchObject([
      { kind: 'models', models: [{ ref: 'New/m' }] },
      { kind: 'failed', failure: { cause: 'auth', sentence: 'The key for New was refused (401). Set a new key.' } },
    ]);
  });

  it('checks the key if the list of models is public', async () => {
    const web = hosted({ 'https://openrouter.ai/api/v1/models': { data: [{ id: 'm' }] } });
    const listing = await catalog({ fetch: web.fetch }).testConnection(
      { name: 'OpenRouter', protocol: 'openai', baseUrl: 'https://openrouter.ai/api/v1' },
      'sk-or-wrong',
      never,
    );
    expect(listing).toMatchObject({ kind: 'failed', failure: { cause: 'auth' } });
    expect(web.asked.map(({ url }) => url)).toEqual(['https://openrouter.ai/api/v1/key']);
  });

  it('reports that the base URL leads to a web page', async () => {
    const page: typeof globalThis.fetch = () =>
      Promise.resolve(
        new Response('<!doctype html><title>Open WebUI</title>', { headers: { 'content-type': 'text/html' } }),
      );
    const listing = await catalog({ fetch: page }).testConnection(
      { name: 'Web', protocol: 'openai', baseUrl: 'http://127.0.0.1:3000' },
      null,
      never,
    );
    expect(listing).toMatchObject({
      failure: {
        cause: 'notAnApi',
        sentence:
          'http://127.0.0.1:3000 answered with a web page, not with a model. Check the base URL; most end in /v1.',
      },
    });
  });
});

describe('discovery', () => {
  const preset = (name: string, program: 'ollama' | 'lmstudio' | 'openai', baseUrl: string) => ({
    name,
    program,
    protocol: 'openai' as const,
    baseUrl,
  });

  it('finds the servers on this machine, by their configured names if they have one', async () => {
    const ollama = await start({ local: 'ollama', models: ['a', 'b'] });
    const other = await start({ models: ['c'] });
    const gone = await start();
    await gone.close();
    const found = await catalog({
      localServers: [
        preset('Ollama', 'ollama', ollama.url),
        preset('vLLM', 'openai', other.url),
        preset('llama.cpp', 'openai', gone.url),
      ],
      settings: () => [{ name: 'Mine', protocol: 'openai', baseUrl: other.url.replace('127.0.0.1', 'localhost') }],
    }).discover(never);
    expect(found).toEqual([
      { name: 'Ollama', baseUrl: ollama.url, destination: new URL(ollama.url).host, modelIds: ['a', 'b'] },
      { name: 'Mine', baseUrl: other.url, destination: new URL(other.url).host, modelIds: ['c'] },
    ]);
  });

  it("opens a model of a discovered server by the server's name, without settings", async () => {
    const ollama = await start({ local: 'ollama', models: [{ id: 'a', contextLength: 40_000, numCtx: 32_768 }] });
    const model = await catalog({ localServers: [preset('Ollama', 'ollama', ollama.url)] }).resolve('Ollama/a', never);
    expect(model.info).toMatchObject({ ref: 'Ollama/a', allocatedContext: 32_768 });
  });

  it('skips servers that are not model servers', async () => {
    const page: typeof globalThis.fetch = () =>
      Promise.resolve(new Response('<html>Jenkins</html>', { headers: { 'content-type': 'text/html' } }));
    expect(
      await catalog({
        fetch: page,
        localServers: [preset('llama.cpp', 'openai', 'http://127.0.0.1:8080/v1')],
      }).discover(never),
    ).toEqual([]);
  });
});

describe('a pasted key', () => {
  it.each([
    ['sk-or-v1-abc', ['OpenRouter']],
    ['sk-ant-api03-abc', ['Anthropic']],
    [' gsk_abc\n', ['Groq']],
    ['xai-abc', ['xAI']],
    ['sk-proj-abc', ['OpenAI']],
    [`sk-${'0a'.repeat(16)}`, ['DeepSeek', 'OpenAI', 'Nous']],
    ['Ab1'.repeat(10) + 'xy', ['Mistral']],
    [`AIza${'Sy-'.repeat(11)}ab`, ['Google Gemini']],
    ['tgp_v1_abc', ['Together']],
    ['0a'.repeat(32), ['Together']],
    ['fw_abc', ['Fireworks']],
    ['csk-abc', ['Cerebras']],
    ['hello', []],
  ])('%j is recognized', (key, names) => {
    expect(recognizeKey(key).map(({ name }) => name)).toEqual(names);
  });

  it('can be fetched from a page of each service, all of which have addresses and names of their own', () => {
    expect({
      insecure: servicePresets.filter(
        ({ baseUrl, keyPage }) => !`${baseUrl} ${keyPage}`.match(/^https:\S+ https:\S+$/),
      ),
      unparsed: servicePresets.filter(({ baseUrl }) => parseEndpoint(baseUrl)?.baseUrl !== baseUrl),
      origins: new Set(servicePresets.map(({ baseUrl }) => new URL(baseUrl).origin)).size,
      names: new Set(servicePresets.map(({ name }) => name)).size,
    }).toEqual({ insecure: [], unparsed: [], origins: servicePresets.length, names: servicePresets.length });
  });
});

describe('a resource of Azure OpenAI', () => {
  it.each([
    ['my-resource', null],
    [' https://my-resource.openai.azure.com/ ', null],
    ['https://my-resource.openai.azure.com/openai/v1/', null],
    [
      'https://my-resource.openai.azure.com/openai/deployments/gpt-5-mini/chat/completions?api-version=2025-01-01-preview',
      'gpt-5-mini',
    ],
  ])('is found in %j', (text, deployment) => {
    expect(azureResource(text)).toEqual({ baseUrl: 'https://my-resource.openai.azure.com/openai/v1', deployment });
  });

  it.each(['', 'http://my-resource.openai.azure.com', 'https://openai.azure.com.example', 'my resource'])(
    'is not found in %j',
    (text) => {
      expect(azureResource(text)).toBeNull();
    },
  );
});
