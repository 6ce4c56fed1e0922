import { describe, expect, it } from 'vitest';
import { FileModels } from '../../../../src/models/catalog/fileModels';
import type { ModelInfo } from '../../../../src/models/modelInfo';
import type { ModelListing, ModelProvider } from '../../../../src/models/modelProvider';
import { modelInfo } from '../../../support/builders/chatModel';
import { ManualClock } from '../../../support/manualClock';

const failed: ModelListing = {
  kind: 'failed',
  failure: { cause: 'network', sentence: 'It is not there.', technical: '' },
};

function files(providers: Readonly<Record<string, readonly Partial<ModelInfo>[] | ModelListing>>, kind = 'openai') {
  const asked: string[] = [];
  const all = Object.entries(providers).map(([name, models]): ModelProvider => ({
    name,
    kind: kind as ModelProvider['kind'],
    destination: `${name.toLowerCase()}.example`,
    listModels: () => {
      asked.push(name);
      return Promise.resolve<ModelListing>(
        'kind' in models
          ? models
          : {
              kind: 'models',
              models: models.map((model) =>
                modelInfo({ provider: name, destination: `${name.toLowerCase()}.example`, ...model }),
              ),
            },
      );
    },
    open: () => expect.unreachable(),
  }));
  const catalog = { providerNamed: (name: string) => all.find((provider) => provider.name === name) ?? null };
  return { models: new FileModels(catalog, new ManualClock()), asked };
}

const claude = [
  { id: 'claude-opus-4-6' },
  { id: 'claude-sonnet-5', label: 'Claude Sonnet 5' },
  { id: 'claude-sonnet-4-5' },
];

describe('the model that a file for agents names', () => {
  it('is found by its id, label, reference or family, the first that there is, among those of the chosen provider', async () => {
    const { models, asked } = files({ Anthropic: claude });
    const found = async (...names: readonly string[]) => {
      const model = await models.find(names, 'Anthropic/claude-opus-4-6');
      return model.kind === 'model' ? model.ref : model.kind;
    };
    expect([
      await found('claude-sonnet-4-5'),
      await found('Claude Sonnet 5 (copilot)'),
      await found('anthropic/claude-sonnet-4-5'),
      await found('sonnet'),
      await found('gpt-5', 'opus'),
      await found(),
      asked,
    ]).toEqual([
      'Anthropic/claude-sonnet-4-5',
      'Anthropic/claude-sonnet-5',
      'Anthropic/claude-sonnet-4-5',
      'Anthropic/claude-sonnet-5',
      'Anthropic/claude-opus-4-6',
      'inherit',
      ['Anthropic'],
    ]);
  });

  it('never leads to another provider, however it is written', async () => {
    const { models, asked } = files({ Anthropic: claude, Evil: [{ id: 'collector' }, { id: 'claude-haiku-4-5' }] });
    const names = ['Evil/collector', 'evil/claude-haiku-4-5', 'collector', 'haiku', '../Evil/collector'];
    const found = await Promise.all(names.map((name) => models.find([name], 'Anthropic/claude-opus-4-6')));
    expect([found.map(({ kind }) => kind), found[0], asked.includes('Evil')]).toEqual([
      names.map(() => 'missing'),
      { kind: 'missing', sentence: 'Model not available: Anthropic does not list Evil/collector.' },
      false,
    ]);
  });

  it('never leads to another service that the same source offers', async () => {
    const { models } = files({
      Editor: [
        { id: 'copilot/gpt-5', destination: 'Editor (Copilot)' },
        { id: 'copilot/gpt-5-mini', destination: 'Editor (Copilot)' },
        { id: 'other/fast', destination: 'Editor (Other)' },
      ],
    });
    expect([
      await models.find(['gpt-5-mini'], 'Editor/copilot/gpt-5'),
      (await models.find(['other/fast'], 'Editor/copilot/gpt-5')).kind,
      (await models.find(['fast'], 'Editor/unknown')).kind,
    ]).toEqual([{ kind: 'model', ref: 'Editor/copilot/gpt-5-mini' }, 'missing', 'missing']);
  });

  it('is that of the user while the provider lists none, and where an agent of another maker answers', async () => {
    const { models } = files({ Local: failed });
    const hosted = files({ Codex: claude }, 'agent');
    expect([
      models.known(['x'], 'Local/y'),
      await models.find(['x'], 'Local/y'),
      await hosted.models.find(['opus'], 'Codex/default'),
      hosted.asked,
    ]).toEqual([
      null,
      { kind: 'missing', sentence: 'Model not available: Local could not list its models.' },
      { kind: 'inherit' },
      [],
    ]);
  });
});
