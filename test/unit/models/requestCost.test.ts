import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelPrice } from '../../../src/models/modelInfo';
import { countedCost, withCost } from '../../../src/models/requestCost';
import { addUsage, unknownUsage, type Usage } from '../../../src/transcript/usage';
import { reply, startModelServer, type ModelServer, type ReplyUsage } from '../../support/modelServer';
import { ask, modelAt } from './asking';

let server: ModelServer;
beforeEach(async () => void (server = await startModelServer()));
afterEach(() => server.close());

/** What a service at `url` says a request used; the connection itself goes to the stand-in. */
async function used(usage: ReplyUsage, url = server.url): Promise<Usage | null> {
  server.script(reply().says('Fine.').uses(usage));
  const toServer: typeof fetch = (input, init) =>
    fetch(String(input instanceof Request ? input.url : input).replace(url, server.url), init);
  const { terminal } = await ask(modelAt({ url, protocol: 'openai', key: 'k', fetch: toServer }));
  return terminal.usage;
}

const counts: Usage = {
  inputTokens: 1_000_000,
  outputTokens: 100_000,
  cachedInputTokens: 0,
  cacheWriteTokens: null,
  reasoningTokens: 0,
};
const price: ModelPrice = { input: 3, output: 15 };

describe('the cost of a request', () => {
  it('is the cost that OpenRouter reports when the request asks for it', async () => {
    const usage = await used({ input: 10, output: 5, extra: { cost: 0.0021 } }, 'https://openrouter.ai/api/v1');
    expect([usage?.costUsd, server.requests[0]?.body['usage']]).toEqual([0.0021, { include: true }]);
  });

  it("includes what the user's own key is charged through OpenRouter", async () => {
    expect(
      (
        await used({
          input: 10,
          output: 5,
          extra: { cost: 0.001, is_byok: true, cost_details: { upstream_inference_cost: 0.02 } },
        })
      )?.costUsd,
    ).toBeCloseTo(0.021, 9);
    expect((await used({ input: 10, output: 5, extra: { cost: 0.001, is_byok: true } }))?.costUsd).toBeUndefined();
  });

  it('is not requested from other services, and not known there', async () => {
    const usage = await used({ input: 10, output: 5 });
    expect([usage?.costUsd, server.requests[0]?.body['usage']]).toEqual([undefined, undefined]);
  });

  it('is calculated from listed prices if the service does not report it', () => {
    expect(withCost(counts, price)).toEqual({ ...counts, requests: 1, costUsd: 4.5 });
    expect(withCost({ ...counts, costUsd: 1 }, price).costUsd).toBe(1);
    expect(withCost({ ...counts, costUsd: 0 }, price).costUsd).toBe(0);
    expect(
      withCost(
        { ...counts, cachedInputTokens: 500_000, cacheWriteTokens: 100_000 },
        { ...price, cachedInput: 0.3, cacheWrite: 3.75 },
      ).costUsd,
    ).toBeCloseTo(1.2 + 0.15 + 0.375 + 1.5, 9);
  });

  it('is unknown, not 0, if any used item has no price', () => {
    const unknown = [
      withCost(counts, null),
      withCost({ ...counts, cachedInputTokens: 5 }, price),
      withCost({ ...counts, cacheWriteTokens: 5 }, price),
      withCost({ ...counts, inputTokens: null }, price),
    ];
    expect(unknown.map(({ costUsd }) => costUsd)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('is higher for a long request if the list says so', () => {
    const long = { fromInput: 200_000, input: 6, output: 30 };
    expect([
      withCost({ ...counts, inputTokens: 200_000 }, { ...price, long }).costUsd,
      withCost(counts, { ...price, long }).costUsd,
    ]).toEqual([0.6 + 1.5, 9]);
  });

  it('is 0 for a free model, also when nothing was counted', () => {
    const local: ModelPrice = { input: 0, output: 0 };
    expect([
      withCost({ ...counts, cachedInputTokens: 5 }, local).costUsd,
      countedCost(null, local),
      countedCost(null, price),
    ]).toEqual([0, { ...unknownUsage, requests: 1, costUsd: 0 }, null]);
  });

  it('is summed over requests only if each cost is known', () => {
    const [known, unknown] = [withCost(counts, price), withCost(counts, null)];
    const { costUsd: both, requests } = addUsage(known, known);
    expect([both, requests, addUsage(known, unknown).costUsd, addUsage(unknown, known).requests]).toEqual([
      9,
      2,
      undefined,
      2,
    ]);
  });
});
