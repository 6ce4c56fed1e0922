import { createServer as createSecureServer } from 'node:https';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSocketServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock, type Clock } from '../../../../src/base/clock';
import { checkConnection } from '../../../../src/host/models/connectionCheck';
import { ModelService } from '../../../../src/host/models/modelService';
import { ProviderKeys } from '../../../../src/host/models/providerKeys';
import { ModelCatalog } from '../../../../src/models/catalog/catalog';
import { DemoProvider } from '../../../../src/models/demo/demoProvider';
import type { LocalServerPreset } from '../../../../src/models/presets';
import type { ModelProvider } from '../../../../src/models/modelProvider';
import type { ProviderSettings } from '../../../../src/models/providerSettings';
import { ManualClock } from '../../../support/manualClock';
import { startModelServer, type ModelServerOptions } from '../../../support/modelServer';
import { selfSigned } from '../../../support/selfSigned';
import { readSettings } from '../../../../src/host/settings/settings';
import { RecordingLog } from '../recordingLog';
import { settle } from '../recordingPort';

/** What the person answers, in order, and what they were shown. A row of a list is answered by the beginning of
 *  its label. */
const person = vi.hoisted(() => ({ answers: [] as (string | undefined)[], shown: [] as string[] }));
vi.mock('vscode', () => {
  class Picker {
    title = '';
    placeholder = '';
    buttons: unknown[] = [];
    activeItems: unknown[] = [];
    selectedItems: { label: string }[] = [];
    private accept: () => void = () => undefined;
    private hidden: () => void = () => undefined;
    onDidTriggerButton(): void {}
    onDidAccept(run: () => void): void {
      this.accept = run;
    }
    onDidHide(run: () => void): void {
      this.hidden = run;
    }
    show(): void {}
    hide(): void {
      this.hidden();
    }
    dispose(): void {}
    set items(items: { label: string; kind?: number }[]) {
      const rows = items.filter(({ kind }) => kind !== -1);
      person.shown.push(`${this.title}: ${rows.map(({ label }) => label).join(', ')}`);
      const answer = person.answers.shift();
      const picked = rows.find(({ label }) => answer !== undefined && label.startsWith(answer));
      if (picked === undefined) this.hide();
      else {
        this.selectedItems = [picked];
        this.accept();
      }
    }
  }
  class InputBox {
    title = '';
    prompt = '';
    placeholder = '';
    value = '';
    validationMessage: string | undefined;
    buttons: { tooltip: string }[] = [];
    private changed: (text: string) => void = () => undefined;
    private accept: () => void = () => undefined;
    private pressed: () => void = () => undefined;
    private hidden: () => void = () => undefined;
    onDidChangeValue(run: (text: string) => void): void {
      this.changed = run;
    }
    onDidAccept(run: () => void): void {
      this.accept = run;
    }
    onDidTriggerButton(run: () => void): void {
      this.pressed = run;
    }
    onDidHide(run: () => void): void {
      this.hidden = run;
    }
    /** Answers until the box takes an answer, is left, or its button is pressed. */
    show(): void {
      const answer = person.answers.shift();
      if (answer === undefined) return this.hide();
      if (this.buttons.some(({ tooltip }) => tooltip === answer)) return this.pressed();
      this.value = answer;
      this.changed(answer);
      this.accept();
      person.shown.push(
        this.validationMessage === undefined
          ? `${this.prompt.split('.')[0] ?? ''}?`
          : `refused: ${this.validationMessage}`,
      );
      if (this.validationMessage !== undefined) this.show();
    }
    hide(): void {
      this.hidden();
    }
    dispose(): void {}
  }
  return {
    env: { language: 'en', openExternal: async (page: string) => (person.shown.push(`opened ${page}`), true) },
    Uri: { parse: (text: string) => text },
    ProgressLocation: { Notification: 15 },
    QuickPickItemKind: { Separator: -1 },
    ThemeIcon: class {
      constructor(readonly id: string) {}
    },
    commands: { executeCommand: async () => undefined },
    window: {
      createQuickPick: () => new Picker(),
      createInputBox: () => new InputBox(),
      showQuickPick: async (
        items: PromiseLike<{ label: string }[]> | { label: string }[],
        { title }: { title: string },
      ) => {
        const rows = await items;
        person.shown.push(`${title}: ${rows.map(({ label }) => label).join(', ')}`);
        const answer = person.answers.shift();
        return rows.find(({ label }) => answer !== undefined && label.startsWith(answer));
      },
      showInputBox: async ({
        prompt,
        value,
        validateInput,
      }: {
        prompt: string;
        value?: string;
        validateInput?: (text: string) => string | undefined;
      }) => {
        const answer = person.answers.shift();
        const typed = answer === 'default' ? value : answer;
        const problem = typed === undefined ? undefined : validateInput?.(typed);
        person.shown.push(problem === undefined ? `${prompt.split('.')[0] ?? ''}?` : `refused: ${problem}`);
        return problem === undefined ? typed : undefined;
      },
      showInformationMessage: async (sentence: string, options?: { modal?: boolean }) => (
        person.shown.push(sentence),
        typeof options === 'object' && options.modal === true ? person.answers.shift() : undefined
      ),
      showWarningMessage: async (sentence: string, options?: { modal?: boolean }) => (
        person.shown.push(`! ${sentence}`),
        typeof options === 'object' && options.modal === true ? person.answers.shift() : undefined
      ),
      withProgress: async (_options: unknown, work: (progress: unknown, token: unknown) => Promise<unknown>) =>
        work({}, { onCancellationRequested: () => undefined }),
    },
  };
});
const { ModelSetup } = await import('../../../../src/host/models/modelSetup');

const closing: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  person.answers = [];
  person.shown = [];
});
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  closing.push(async () => server.closeAllConnections());
  return `http://127.0.0.1:${await listening(server)}`;
}

async function modelServer(options: ModelServerOptions = {}) {
  const server = await startModelServer(options);
  closing.push(() => server.close());
  return server;
}

function catalogOf(
  over: {
    readonly clock?: Clock;
    readonly providers?: () => readonly ProviderSettings[];
    readonly others?: readonly ModelProvider[];
    readonly localServers?: readonly LocalServerPreset[];
    readonly keys?: ProviderKeys;
    readonly fetch?: typeof globalThis.fetch;
  } = {},
): ModelCatalog {
  return new ModelCatalog({
    settings: over.providers ?? (() => []),
    others: over.others ?? [],
    localServers: over.localServers ?? [],
    keyOf: async (provider, origin) => over.keys?.get(provider, origin),
    loadTransports: () => Promise.reject(new Error('No prompt is sent to test a connection.')),
    fetch: over.fetch ?? globalThis.fetch,
    clock: over.clock ?? systemClock,
  });
}

const at = (baseUrl: string, over: Partial<ProviderSettings> = {}): ProviderSettings => ({
  name: 'Local',
  protocol: 'openai',
  baseUrl,
  ...over,
});
const check = (baseUrl: string, key: string | null = null, catalog = catalogOf()) =>
  checkConnection(catalog, at(baseUrl), key, new AbortController().signal);
const json =
  (status: number, body: unknown): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

describe('a connection test', () => {
  it('reports that the address does not exist', async () => {
    expect(await check('http://models.invalid/v1')).toEqual({
      kind: 'failed',
      mayKeep: true,
      sentence: 'Can’t reach Local (http://models.invalid/v1). Check your connection, proxy, or VPN.',
    });
  });

  it('reports that no server listens', async () => {
    const server = createSocketServer();
    const port = await listening(server);
    await closing.pop()?.();
    expect(await check(`http://127.0.0.1:${port}/v1`)).toMatchObject({
      mayKeep: true,
      sentence: expect.stringContaining('The connection was refused. Start the server or check the base URL'),
    });
  });

  it('distinguishes an untrusted certificate from a server without https', async () => {
    const secure = createSecureServer(selfSigned, json(200, { data: [] }));
    const [untrusted, plain] = [
      await check(`https://127.0.0.1:${await listening(secure)}/v1`),
      await check((await serving(json(200, {}))).replace('http:', 'https:')),
    ];
    expect(
      [untrusted, plain].map((result) =>
        result.kind === 'failed' ? result.sentence.replace(/127\.0\.0\.1:\d+/, 'HOST') : result,
      ),
    ).toEqual([
      'The certificate of Local (https://HOST/v1) is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT). Check the base URL and the proxy, or install the certificate.',
      'Local (https://HOST) does not speak https. Check the port in the base URL, or use http:// instead.',
    ]);
  });

  it('names a proxy that requires authentication', async () => {
    const tunnel = Object.assign(new TypeError('fetch failed'), {
      cause: new Error('Proxy response (407) !== 200 when HTTP Tunneling'),
    });
    expect(await check('https://example.com/v1', 'k-1', catalogOf({ fetch: () => Promise.reject(tunnel) }))).toEqual({
      kind: 'failed',
      mayKeep: true,
      sentence:
        'The proxy for Local requires a sign-in (407). Set a user name and password, or another proxy, ' +
        'in VS Code’s setting http.proxy, then retry.',
    });
  });

  it('gives up on a silent server', async () => {
    const clock = new ManualClock();
    const url = await serving(() => undefined);
    const result = check(`${url}/v1`, null, catalogOf({ clock }));
    for (let step = 0; step < 6; step++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      clock.advance(10_000);
    }
    expect(await result).toMatchObject({
      mayKeep: true,
      sentence: 'Local did not begin to answer within 10 s. Retry.',
    });
  });

  it.each([
    [401, null, 'Local requires a key (401), but none is set. Set a key.', false],
    [401, 'k-12345', 'The key for Local was refused (401). Set a new key.', false],
    [
      403,
      'k-12345',
      'Local does not allow this (403). Local says: no. Check the key’s permissions or set a new key.',
      false,
    ],
    [429, 'k-12345', 'Local is limiting requests (429). Local says: no. Wait and retry.', true],
    [503, 'k-12345', 'Local is overloaded (503). Local says: no. Retry in a moment.', true],
  ])('explains %d (key: %s)', async (status, key, sentence, mayKeep) => {
    expect(await check(`${await serving(json(status, { error: { message: 'no' } }))}/v1`, key)).toEqual({
      kind: 'failed',
      sentence,
      mayKeep,
    });
  });

  it.each(['', '/v1/chat/completions', '/v1/models', '/api', '/api/chat'])(
    'finds the base URL meant by "%s"',
    async (path) => {
      const server = await modelServer({ models: ['qwen3:8b'] });
      expect(await check(`${server.origin}${path}`)).toEqual({
        kind: 'answers',
        corrected: true,
        models: 1,
        endpoint: at(server.url),
      });
    },
  );

  it('finds the base URL for Ollama too, whose models are listed whatever the base URL is', async () => {
    const server = await modelServer({ models: [{ id: 'qwen3:8b' }], local: 'ollama' });
    expect([await check(server.origin), await check(server.url)]).toEqual([
      { kind: 'answers', corrected: true, models: 1, endpoint: at(server.url) },
      { kind: 'answers', corrected: false, models: 1, endpoint: at(server.url) },
    ]);
  });

  it('sends no key to another origin while it looks for the base URL, and says when the right address wants another key', async () => {
    const server = await modelServer({ key: 'k-right', models: ['m'] });
    expect(await check(server.origin, 'k-wrong')).toEqual({
      kind: 'failed',
      mayKeep: false,
      sentence: `The key for Local was refused (401). Set a new key. (Tried ${server.url}.)`,
    });
  });

  it('distinguishes a web page from a model', async () => {
    const page: RequestListener = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Welcome');
    const url = await serving(page);
    expect(await check(`${url}/v1`)).toEqual({
      kind: 'failed',
      mayKeep: true,
      sentence: `${url}/v1 answered with a web page, not with a model. Check the base URL; most end in /v1.`,
    });
  });

  it('trusts the address of a known service, and sends its key nowhere else when a web page answers there', async () => {
    const asked: string[] = [];
    const portal: typeof globalThis.fetch = async (input) => (
      asked.push(String(input instanceof Request ? input.url : input)),
      new Response('<!doctype html><p>Sign in to the Wi-Fi', { headers: { 'content-type': 'text/html' } })
    );
    const result = await checkConnection(
      catalogOf({ fetch: portal }),
      at('https://api.openai.com/v1', { name: 'OpenAI' }),
      'sk-1',
      new AbortController().signal,
    );
    expect([result, new Set(asked)]).toEqual([
      {
        kind: 'failed',
        mayKeep: true,
        sentence:
          'Something other than OpenAI answered at https://api.openai.com/v1, such as a sign-in page or a proxy. Open that address in a browser to check, then try again.',
      },
      new Set(['https://api.openai.com/v1/models']),
    ]);
  });

  it('reports that a server has no models', async () => {
    const server = await modelServer({ models: [], local: 'ollama' });
    expect(await check(server.url)).toMatchObject({
      kind: 'empty',
      sentence: 'Local is running but has no models. Load one there (with Ollama: ollama pull qwen3), then try again.',
    });
  });
});

/** Set Up Model… with these answers: what the person saw, what was chosen and kept, and how often the composer got
 *  the keys back. */
async function setUp(
  entry: string | null,
  answers: readonly (string | undefined)[],
  over: Parameters<typeof catalogOf>[0] & {
    readonly endpoints?: readonly ProviderSettings[];
    /** Replaces the key of this model's provider instead. */
    readonly replace?: string;
  } = {},
) {
  person.answers = [...answers];
  const secrets = new Map<string, string>();
  const keys = new ProviderKeys({
    get: async (name) => secrets.get(name),
    store: async (name, value) => void secrets.set(name, value),
    delete: async (name) => void secrets.delete(name),
  });
  const written: ProviderSettings[] = [...(over.endpoints ?? [])];
  const catalog = catalogOf({
    ...over,
    keys,
    providers: () => written,
    others: [...(over.others ?? []), new DemoProvider(systemClock)],
  });
  const service = new ModelService({
    catalog,
    defaultModel: () => null,
    labels: { editorProvider: 'Editor', machine: 'this machine' },
    clock: systemClock,
    log: new RecordingLog(),
  });
  const [chosen, focused]: [string[], string[]] = [[], []];
  const setup = new ModelSetup({
    catalog,
    models: service,
    keys,
    // Choosing writes a setting, and every change of settings makes the desk forget.
    gateway: {
      actions: { selectModel: async (_session, ref) => (chosen.push(ref), service.invalidate()) },
      surfaces: { shownSession: () => null },
    },
    settings: {
      current: { ...readSettings({ get: () => undefined, inspect: () => undefined }).settings, providers: written },
      addProvider: async (endpoint) => void written.push(endpoint),
    },
    history: { store: { getSession: async () => null } },
    activeChat: { surfaceId: 'chat', focus: async () => void focused.push('composer') },
  });
  const replaced = over.replace === undefined ? await setup.run(entry) : await setup.replaceKey(over.replace);
  await settle();
  service.dispose();
  return {
    shown: person.shown,
    chosen,
    replaced,
    focused: focused.length,
    secrets: Object.fromEntries(secrets),
    written,
    left: person.answers,
  };
}

describe('Set Up Model…', () => {
  const ollama = (origin: string): readonly LocalServerPreset[] => [
    { name: 'Ollama', program: 'ollama', protocol: 'openai', baseUrl: `${origin}/v1` },
  ];

  it('offers Demo and a key to a user who has nothing, and returns to the composer', async () => {
    const { shown, chosen, focused } = await setUp(null, ['Try the Demo']);
    expect([shown, chosen, focused]).toEqual([
      [
        'Set Up Model: Paste a Key, Try the Demo, Add an Endpoint…',
        'Demo is ready. Answers are scripted and nothing leaves your machine.',
      ],
      ['Demo/script'],
      1,
    ]);
  });

  it('finds Ollama, and says how to give a model more context', async () => {
    const server = await modelServer({ local: 'ollama', models: [{ id: 'qwen3:8b', contextLength: 40_960 }] });
    const { shown, chosen } = await setUp(null, ['Found Ollama', 'qwen3:8b'], { localServers: ollama(server.origin) });
    expect([shown, chosen]).toEqual([
      [
        'Set Up Model: Found Ollama on this machine: 1 model, Paste a Key, Try the Demo, Add an Endpoint…',
        'Select a Model from Ollama: qwen3:8b',
        expect.stringMatching(
          /^! Prompts go to qwen3:8b on 127\.0\.0\.1:\d+\. qwen3:8b is given only 4,096 tokens here, and longer requests are cut off\. .*OLLAMA_CONTEXT_LENGTH=32768/,
        ),
      ],
      ['Ollama/qwen3:8b'],
    ]);
  });

  it('returns to the composer if a panel flow is left half-way, and nowhere from the palette', async () => {
    const server = await modelServer({ local: 'ollama', models: [{ id: 'qwen3:8b' }] });
    const focused = [
      await setUp('local:Ollama', [undefined], { localServers: ollama(server.origin) }),
      await setUp('pasteKey', [undefined]),
      await setUp(null, ['Paste a Key', undefined]),
    ].map((each) => each.focused);
    expect(focused).toEqual([1, 1, 0]);
  });

  it('reports that Ollama has no models yet', async () => {
    const server = await modelServer({ local: 'ollama', models: [] });
    const { shown, chosen } = await setUp('local:Ollama', [], { localServers: ollama(server.origin) });
    expect([shown, chosen]).toEqual([['Select a Model from Ollama: Ollama has no models yet.'], []]);
  });

  it("uses the editor's models if there are any", async () => {
    const editor: ModelProvider = {
      name: 'Editor',
      kind: 'editor',
      destination: 'Copilot',
      listModels: async () => ({
        kind: 'models',
        models: [
          {
            ref: 'Editor/gpt',
            provider: 'Editor',
            id: 'gpt',
            label: 'GPT',
            destination: 'Editor (Copilot)',
            contextWindow: 1000,
            allocatedContext: null,
            tools: true,
            images: null,
            efforts: ['default'],
            price: null,
            warnings: [],
          },
        ],
      }),
      open: () => Promise.reject(new Error('No prompt is sent here.')),
    };
    const { shown, chosen } = await setUp(null, ['Use VS Code’s Models', 'GPT'], { others: [editor] });
    expect([shown.at(-1), chosen]).toEqual(['Prompts go to GPT on Editor (Copilot).', ['Editor/gpt']]);
  });

  /** OpenRouter, as far as a key and a list go; every other address fails the test. */
  const openRouter =
    (key: string, asked: string[] = []): typeof globalThis.fetch =>
    async (input, init) => {
      const url = String(input instanceof Request ? input.url : input);
      asked.push(url);
      if (!url.startsWith('https://openrouter.ai/')) throw new Error(`${url} was asked`);
      if (url.endsWith('/key'))
        return Response.json(
          {},
          { status: new Headers(init?.headers).get('authorization') === `Bearer ${key}` ? 200 : 401 },
        );
      return Response.json({
        data: [
          { id: 'qwen/qwen3', name: 'Qwen3', context_length: 128_000, supported_parameters: ['tools'] },
          { id: 'talk/only', name: 'Talk', context_length: 8000, supported_parameters: [] },
        ],
      });
    };

  it.each([
    'sk-or-v1-abc123',
    '  "sk-or-v1-abc123"\n',
    'Bearer sk-or-v1-abc123',
    'Authorization: Bearer sk-or-v1-abc123',
    "export OPENROUTER_API_KEY='sk-or-v1-abc123'",
    '\ufeffsk-or-v1-abc123\u200b',
  ])('accepts an OpenRouter key as pasted: %j', async (pasted) => {
    const { shown, chosen, secrets, focused } = await setUp('pasteKey', [pasted, 'Qwen3'], {
      fetch: openRouter('sk-or-v1-abc123'),
    });
    expect([shown.slice(1), chosen, secrets, focused]).toEqual([
      ['Select a Model from OpenRouter: Qwen3', 'Prompts go to Qwen3 on openrouter.ai.'],
      ['OpenRouter/qwen/qwen3'],
      { 'key https://openrouter.ai OpenRouter': 'sk-or-v1-abc123' },
      1,
    ]);
  });

  it('replaces the key of a provider in one step, and only by one that works', async () => {
    const replace = (answers: readonly (string | undefined)[]) =>
      setUp(null, answers, { fetch: openRouter('sk-or-v1-new'), replace: 'OpenRouter/qwen/qwen3' });
    const [works, refused, left] = [
      await replace(['sk-or-v1-new']),
      await replace(['sk-or-v1-old', undefined]),
      await replace([undefined]),
    ];
    expect([works, refused, left].map(({ replaced, chosen, secrets }) => [replaced, chosen, secrets])).toEqual([
      [true, [], { 'key https://openrouter.ai OpenRouter': 'sk-or-v1-new' }],
      [false, [], {}],
      [false, [], {}],
    ]);
  });

  it('keeps the box open for an empty answer, and opens the key page of a provider from there', async () => {
    const { shown, chosen } = await setUp(
      'pasteKey',
      ['', 'Get a Key', 'OpenRouter', 'Get a Key', undefined, 'sk-or-v1-abc123', 'Qwen3'],
      { fetch: openRouter('sk-or-v1-abc123') },
    );
    const providers =
      'Get a Key: OpenRouter, Anthropic, Google Gemini, Groq, xAI, DeepSeek, OpenAI, Nous, Mistral, ' +
      'Together, Fireworks, Cerebras, Azure OpenAI';
    expect([shown.slice(0, -2), chosen]).toEqual([
      [
        'refused: Paste a key, or press Escape.',
        providers,
        'opened https://openrouter.ai/settings/keys',
        providers,
        'Stored in VS Code’s secret storage?',
      ],
      ['OpenRouter/qwen/qwen3'],
    ]);
  });

  /** A resource of Azure OpenAI, as far as a key and a list go; every other address fails the test. */
  const azure: typeof globalThis.fetch = async (input, init) => {
    const url = String(input instanceof Request ? input.url : input);
    if (url !== 'https://my-resource.openai.azure.com/openai/v1/models') throw new Error(`${url} was asked`);
    const isKnown = new Headers(init?.headers).get('authorization') === `Bearer ${'0a'.repeat(16)}`;
    return Response.json({ data: [{ id: 'gpt-4o-2024-08-06' }] }, { status: isKnown ? 200 : 401 });
  };

  it('sends a key that Azure or Mistral may have issued to neither before the user says which', async () => {
    const { shown, chosen, written, secrets } = await setUp(
      'pasteKey',
      ['0a'.repeat(16), 'Azure OpenAI…', 'my-resource', 'mini, large', 'large'],
      { fetch: azure },
    );
    expect([shown.slice(1, -1), chosen, written, secrets]).toEqual([
      [
        'Which provider is this key for?: Mistral, Azure OpenAI…, Another Endpoint…',
        'Endpoint of your Azure OpenAI resource, or the name of the resource?',
        'Names of your deployments, separated by commas?',
        'Select a Model from Azure OpenAI: mini, large',
      ],
      ['Azure OpenAI/large'],
      [
        {
          name: 'Azure OpenAI',
          protocol: 'openai',
          baseUrl: 'https://my-resource.openai.azure.com/openai/v1',
          models: [{ id: 'mini' }, { id: 'large' }],
        },
      ],
      { 'key https://my-resource.openai.azure.com Azure OpenAI': '0a'.repeat(16) },
    ]);
  });

  it('does not take two keys for one', async () => {
    const { shown, secrets } = await setUp('pasteKey', ['sk-or-v1-abc sk-or-v1-def']);
    expect([shown, secrets]).toEqual([['refused: A key can’t contain spaces.'], {}]);
  });

  it('keeps no refused key, and offers another try', async () => {
    const { shown, chosen, secrets, focused } = await setUp('pasteKey', ['sk-or-v1-wrong', 'Try Again', undefined], {
      fetch: openRouter('sk-or-v1-abc123'),
    });
    const refused = '! The key for OpenRouter was refused (401). Set a new key.';
    expect([shown.slice(1), chosen, secrets, focused]).toEqual([[refused, refused], [], {}, 1]);
  });

  it('asks before a key goes to a service that did not issue it', async () => {
    const asked: string[] = [];
    const { shown, written, secrets } = await setUp(
      'addEndpoint',
      ['https://api.other.example/v1', 'OpenAI', 'default', 'sk-ant-api03-abc', undefined],
      { fetch: openRouter('x', asked) },
    );
    expect([shown.at(-1), asked.filter((url) => url.includes('other')), written, secrets]).toEqual([
      '! This looks like a key for Anthropic, but it would go to api.other.example ' +
        '(api.other.example). It has not been sent.',
      [],
      [],
      {},
    ]);
  });

  it('offers the base URL that works, and keeps it', async () => {
    const server = await modelServer({ models: ['qwen3:8b'] });
    const { shown, written, chosen } = await setUp('addEndpoint', [
      server.origin,
      'OpenAI',
      'default',
      '',
      'Use It',
      'qwen3:8b',
    ]);
    expect([shown.filter((sentence) => sentence.startsWith('No answer')), written, chosen]).toEqual([
      [`No answer from ${server.origin}, but ${server.url} lists models.`],
      [at(server.url)],
      ['Local/qwen3:8b'],
    ]);
  });

  it('keeps a sleeping endpoint if the user wants it, and nothing if the user leaves', async () => {
    const kept = await setUp('addEndpoint', ['http://127.0.0.1:9/v1', 'OpenAI', 'default', '', 'Save Anyway']);
    const left = await setUp('addEndpoint', ['http://127.0.0.1:9/v1', 'OpenAI', 'default', '', undefined]);
    expect([kept.written, left.written]).toEqual([[at('http://127.0.0.1:9/v1')], []]);
  });
});
