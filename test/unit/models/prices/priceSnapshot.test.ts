import { readFileSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileText, fromModelsDev } from '../../../../scripts/modelPrices.mjs';
import { bundledPrices } from '../../../../src/host/models/bundledPrices';
import { readPriceSnapshot, snapshotFacts } from '../../../../src/models/prices/priceSnapshot';

const folder = path.resolve('src/models/prices');
const log = { trace: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

const snapshot = readPriceSnapshot(
  fileText({
    source: 'a test',
    date: '2026-11-10',
    providers: {
      openai: { 'gpt-x': [3, 15, 0.3, null, 400_000, 128_000, [200_000, 6, 30, 0.6, null]] },
      google: { 'gemini-x': [1, 2, null, null, null, null] },
      zai: { 'glm-x': [1, 2, null, null, 200_000, null] },
    },
  }),
);

const factsAt = (baseUrl: string, modelId: string) =>
  snapshot === null ? null : snapshotFacts(snapshot, baseUrl, modelId);

describe('the price snapshot', () => {
  it('has the price and context of a model of the service at that address', () => {
    expect({
      listed: factsAt('https://api.openai.com/v1', 'gpt-x'),
      asGoogleWritesIt: factsAt('https://generativelanguage.googleapis.com/v1beta/openai', 'models/gemini-x'),
    }).toEqual({
      listed: {
        price: {
          input: 3,
          output: 15,
          cachedInput: 0.3,
          long: { fromInput: 200_000, input: 6, output: 30, cachedInput: 0.6 },
        },
        contextWindow: 400_000,
      },
      asGoogleWritesIt: { price: { input: 1, output: 2 } },
    });
  });

  it('says nothing about other models, and nothing about the same model at another address', () => {
    expect([
      factsAt('https://api.openai.com/v1', 'gpt-y'),
      factsAt('https://proxy.example/v1', 'gpt-x'),
      factsAt('https://api.openai.com.example/v1', 'gpt-x'),
      factsAt('https://api.z.ai/api/coding/paas/v4', 'glm-x'),
    ]).toEqual([{}, {}, {}, {}]);
  });

  it('is not read from anything else', () => {
    expect([readPriceSnapshot('{"providers":'), readPriceSnapshot('{"providers":{"openai":{"a":[1]}}}')]).toEqual([
      null,
      null,
    ]);
  });

  it('is bundled, small, and the user is not bothered when it cannot be read', async () => {
    const bundled = await bundledPrices(folder, log)();
    expect({
      services: Object.keys(bundled?.providers ?? {}).length,
      isSmall: statSync(path.join(folder, 'modelPrices.json')).size < 60 * 1024,
      isAsWritten:
        bundled !== null && readFileSync(path.join(folder, 'modelPrices.json'), 'utf8') === fileText(bundled),
      elsewhere: await bundledPrices('/no/such/folder', log)(),
    }).toEqual({ services: 13, isSmall: true, isAsWritten: true, elsewhere: null });
  });
});

describe('the script that refreshes it', () => {
  it('reads the list of models.dev, and leaves out what has no price or writes no text', () => {
    const { openai } = fromModelsDev({
      openai: {
        models: {
          'gpt-x': {
            id: 'gpt-x',
            cost: {
              input: 3,
              output: 15,
              cache_read: 0.3,
              context_over_200k: { input: 6, output: 30, cache_read: 0.6 },
            },
            limit: { context: 400_000, output: 128_000 },
            modalities: { output: ['text'] },
          },
          unpriced: { id: 'unpriced', limit: { context: 1000, output: 100 } },
          draws: { id: 'draws', cost: { input: 1, output: 2 }, modalities: { output: ['image'] } },
        },
      },
    });
    expect(openai).toEqual({ 'gpt-x': [3, 15, 0.3, null, 400_000, 128_000, [200_000, 6, 30, 0.6, null]] });
  });
});
