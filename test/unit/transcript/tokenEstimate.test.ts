import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../src/transcript/contextUse';

const code = `export function sleep(clock: Clock, ms: number): Promise<void> {
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve());
    signal.addEventListener('abort', cancel, { once: true });
  });
}
`.repeat(8);
const prose = (
  'Every piece of delivered text is in the transcript before a surface may show it, in order and ' +
  'once; and nothing that happens next can take it away. '
).repeat(20);
const json = JSON.stringify(
  Array.from({ length: 40 }, (_, i) => ({ id: i, name: `file${i}.ts`, size: i * 1024, tags: ['a', 'b'], ok: true })),
);
const chinese = '今天天气很好，我们去公园散步吧。'.repeat(50);
const base64 = Buffer.from(Array.from({ length: 1500 }, (_, i) => (i * 7919 + ((i * i) % 251)) & 255)).toString(
  'base64',
);

describe('the token estimate', () => {
  // Counts of the o200k tokenizer (gpt-tokenizer 4.0.0).
  it.each([
    ['code', code, 528],
    ['prose', prose, 621],
    ['JSON', json, 1041],
    ['Chinese', chinese, 600],
    ['base64', base64, 1346],
  ])('is within 25 %% of a real tokenizer for %s', (_name, text, counted) => {
    expect(Math.abs(estimateTokens(text) / counted - 1)).toBeLessThan(0.25);
  });

  it('never decreases when text is added', () => {
    const words = prose.split(' ');
    const estimates = words.map((_, index) => estimateTokens(words.slice(0, index + 1).join(' ')));
    expect(estimates.every((estimate, index) => index === 0 || estimate >= (estimates[index - 1] ?? 0))).toBe(true);
  });

  it('is zero for no text, and more than zero for any text', () => {
    expect([estimateTokens(''), estimateTokens('a'), estimateTokens('\ud83d'), estimateTokens('👩‍👩‍👧') > 3]).toEqual([
      0,
      1,
      1,
      true,
    ]);
  });

  it('grows proportionally on a million repeated characters', () => {
    expect(estimateTokens('a'.repeat(1_000_000))).toBe(Math.ceil(1_000_000 / 7));
  });
});
