import { describe, expect, it } from 'vitest';
import { ModelService } from '../../../../src/host/models/modelService';
import type { FoundServer } from '../../../../src/models/catalog/discovery';
import type { ModelInfo } from '../../../../src/models/modelInfo';
import { ModelError, type ModelListing, type ModelProvider } from '../../../../src/models/modelProvider';
import { ManualClock } from '../../../support/manualClock';
import { RecordingLog } from '../recordingLog';
import { settle } from '../recordingPort';

function info(provider: string, id: string, changes: Partial<ModelInfo> = {}): ModelInfo {
  return {
    ref: `${provider}/${id}`,
    provider,
    id,
    label: id,
    destination: `${provider}.example`,
    contextWindow: 128_000,
    allocatedContext: null,
    tools: true,
    images: null,
    efforts: ['default'],
    price: null,
    warnings: [],
    ...changes,
  };
}

/** A source of models that counts how often it is asked. */
class CountedProvider implements ModelProvider {
  listings = 0;
  opened = 0;

  constructor(
    readonly name: string,
    readonly kind: ModelProvider['kind'],
    readonly destination: string,
    private readonly listing: ModelListing,
  ) {}

  async listModels(): Promise<ModelListing> {
    this.listings++;
    return this.listing;
  }

  async open(modelId: string) {
    this.opened++;
    const found = this.listing.kind === 'models' ? this.listing.models.find(({ id }) => id === modelId) : undefined;
    if (found === undefined)
      throw new ModelError({ cause: 'notFound', sentence: `${this.name} has no model ${modelId}.`, technical: '404' });
    return {
      info: found,
      stream: () => {
        throw new Error('not asked here');
      },
    };
  }
}

function service(options: {
  readonly providers: readonly CountedProvider[];
  readonly found?: readonly FoundServer[];
  readonly notSetUp?: readonly string[];
  readonly chosen?: string | null;
}) {
  const clock = new ManualClock();
  const named = (name: string) => options.providers.find((provider) => provider.name === name) ?? null;
  const listed = options.providers.filter(({ name }) => !(options.notSetUp ?? []).includes(name));
  const models = new ModelService({
    catalog: {
      list: async () =>
        Promise.all(listed.map(async (provider) => ({ provider, listing: await provider.listModels() }))),
      providerNamed: named,
      discover: async () => options.found ?? [],
      resolve: async (ref) => {
        const provider = named(ref.slice(0, ref.indexOf('/')));
        if (provider === null) throw new Error(`no provider of ${ref}`);
        return provider.open(ref.slice(ref.indexOf('/') + 1));
      },
    },
    defaultModel: () => options.chosen ?? null,
    labels: {
      editorProvider: 'Editor',
      machine: 'this machine',
    },
    clock,
    log: new RecordingLog(),
  });
  return { models, clock };
}

const hosted = () =>
  new CountedProvider('OpenRouter', 'openai', 'openrouter.ai', {
    kind: 'models',
    models: [info('OpenRouter', 'a/b', { price: { input: 1, output: 2 } })],
  });
const local = () =>
  new CountedProvider('Ollama', 'openai', '127.0.0.1:11434', {
    kind: 'models',
    models: [
      info('Ollama', 'qwen3:8b', { allocatedContext: 4096, warnings: ['qwen3:8b is given only 4,096 tokens here.'] }),
    ],
  });

describe('the models in a chat view', () => {
  it('are requested once if the request fails for a reason of its own, such as a closing editor', async () => {
    const provider = local();
    provider.open = async () => {
      // Were it asked again for ever, nothing else would run in this process any more, its end included.
      if (++provider.opened > 50) await new Promise(() => undefined);
      throw new Error('Canceled');
    };
    const { models } = service({ providers: [provider], chosen: 'Ollama/qwen3:8b' });
    models.onDidChange(() => void models.stateOf(null));
    models.stateOf(null);
    await settle();
    const asked = provider.opened;
    models.invalidate();
    await settle();
    expect([asked, provider.opened]).toEqual([1, 2]);
  });

  it('show a hosted model by name without a request to its service', async () => {
    const provider = hosted();
    const { models } = service({ providers: [provider], chosen: 'OpenRouter/a/b' });
    models.stateOf(null);
    await settle();
    expect({ state: models.stateOf(null), asked: provider.listings + provider.opened }).toEqual({
      state: {
        chosen: {
          ref: 'OpenRouter/a/b',
          label: 'a/b',
          provider: 'OpenRouter',
          destination: 'openrouter.ai',
          contextWindow: null,
          tools: null,
          images: null,
          price: null,
          warnings: [],
          isDemo: false,
        },
        problem: null,
      },
      asked: 0,
    });
  });

  it('show what a local server really allocates before the first prompt', async () => {
    const provider = local();
    const { models } = service({ providers: [provider], chosen: 'Ollama/qwen3:8b' });
    let told = 0;
    models.onDidChange(() => told++);
    models.stateOf(null);
    models.stateOf(null);
    await settle();
    expect({ chosen: models.stateOf(null).chosen, opened: provider.opened, told }).toMatchObject({
      chosen: { contextWindow: 4096, warnings: ['qwen3:8b is given only 4,096 tokens here.'] },
      opened: 1,
      told: 1,
    });
  });

  it('show why a chosen model cannot be used', async () => {
    const { models } = service({ providers: [local()], chosen: 'Ollama/gone' });
    models.stateOf(null);
    await settle();
    expect([models.stateOf(null).problem, models.stateOf('Nowhere/x')]).toEqual([
      'Ollama has no model gone.',
      {
        chosen: null,
        problem:
          'The model “Nowhere/x” is not set up here. Your prompt is kept. Choose another model or add its ' +
          'provider in the settings.',
      },
    ]);
  });

  it('are listed with the sources that failed, and with local servers that were found but not set up', async () => {
    const broken = new CountedProvider('Groq', 'openai', 'api.groq.com', {
      kind: 'failed',
      failure: { cause: 'auth', sentence: 'The key for Groq was refused (401).', technical: '401' },
    });
    const { models } = service({
      providers: [hosted(), broken, local()],
      notSetUp: ['Ollama'],
      found: [
        {
          name: 'Ollama',
          baseUrl: 'http://127.0.0.1:11434/v1',
          destination: '127.0.0.1:11434',
          modelIds: ['qwen3:8b'],
        },
      ],
    });
    const choices = await models.choices(false);
    expect({ refs: choices.models.map(({ ref }) => ref), problems: choices.problems }).toEqual({
      refs: ['OpenRouter/a/b', 'Ollama/qwen3:8b'],
      problems: [{ provider: 'Groq', sentence: 'The key for Groq was refused (401).' }],
    });
  });

  it('are requested again after a minute, on request, or when something changed', async () => {
    const provider = hosted();
    const { models, clock } = service({ providers: [provider] });
    const asked: number[] = [];
    const list = async (refresh = false) => {
      await models.choices(refresh);
      asked.push(provider.listings);
    };
    await list();
    await list();
    await list(true);
    await clock.advance(61_000);
    await list();
    models.invalidate();
    await list();
    expect(asked).toEqual([1, 1, 2, 3, 4]);
  });
});

describe('the offers in the empty state', () => {
  it('show a key and Demo at once, and found models as soon as they are found', async () => {
    const editor = new CountedProvider('Editor', 'editor', 'Editor', {
      kind: 'models',
      models: ['a', 'b', 'c', 'd', 'e'].map((id) => info('Editor', `v/${id}`, { label: id })),
    });
    const { models } = service({
      providers: [editor],
      found: [
        { name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', destination: '127.0.0.1:11434', modelIds: ['a', 'b'] },
        { name: 'vLLM', baseUrl: 'http://127.0.0.1:8000/v1', destination: '127.0.0.1:8000', modelIds: ['a'] },
        { name: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1', destination: '127.0.0.1:1234', modelIds: [] },
      ],
    });
    const before = models.setup;
    const [first, second] = await Promise.all([models.discover(), models.discover()]);
    expect({
      before: [before.searching, before.entries.map(({ id }) => id)],
      same: first === second || JSON.stringify(first) === JSON.stringify(second),
      asked: editor.listings,
    }).toEqual({
      before: [true, ['pasteKey', 'demo']],
      same: true,
      asked: 1,
    });
    expect({ searching: first.searching, entries: first.entries.slice(0, 4) }).toEqual({
      searching: false,
      entries: [
        { id: 'editorModels', kind: 'editorModels', title: 'Use VS Code’s Models', detail: 'a, b, c and 2 more' },
        {
          id: 'local:Ollama',
          kind: 'localServer',
          title: 'Found Ollama on this machine: 2 models',
          detail: '127.0.0.1:11434',
        },
        {
          id: 'local:vLLM',
          kind: 'localServer',
          title: 'Found vLLM on this machine: 1 model',
          detail: '127.0.0.1:8000',
        },
        {
          id: 'local:LM Studio',
          kind: 'localServer',
          title: 'Found LM Studio on this machine: no models yet',
          detail: '127.0.0.1:1234',
        },
      ],
    });
  });

  it('are looked up again when the editor gets models later, at most every few seconds, and only while none is chosen', async () => {
    const editor = new CountedProvider('Editor', 'editor', 'Editor', {
      kind: 'models',
      models: [info('Editor', 'v/a')],
    });
    const { models, clock } = service({ providers: [editor] });
    await models.discover();
    models.editorModelsChanged();
    models.editorModelsChanged();
    await clock.advance(2000);
    const early = editor.listings;
    await clock.advance(2000);
    const chosen = service({ providers: [editor], chosen: 'Editor/v/a' });
    chosen.models.editorModelsChanged();
    await chosen.clock.advance(10_000);
    models.editorModelsChanged();
    models.dispose();
    expect({ early, later: editor.listings, timers: clock.waiting }).toEqual({ early: 1, later: 2, timers: 0 });
  });
});
