import { describe, expect, it } from 'vitest';
import { handoffText } from '../../../src/agent/compression/handoffText';
import { plainSummary, summaryInput } from '../../../src/agent/compression/summaryInput';
import { TranscriptBuilder } from '../../support/builders/messages';

const rows = new TranscriptBuilder()
  .user('Fix the authorization middleware; the bearer certificate and api-key handling too.')
  .assistant('The authorization header is parsed in src/auth.ts with Bearer abc123def456ghi789.', {
    kind: 'toolCall',
    callId: 'c',
    name: 'read_file',
    arguments: '{"path":"authorization/handler.ts"}',
  }).messages;

describe('the input of a summary', () => {
  it.each([
    ['summaryInput', () => summaryInput(rows, 10_000)],
    ['plainSummary', () => plainSummary(rows, null, 10_000)],
    ['handoffText', () => handoffText('Done.', rows)],
  ])('contains no secrets, but every word about them: %s', (_name, text) => {
    const made = text();
    expect([
      made.includes('Fix the authorization middleware; the bearer certificate and api-key handling too.'),
      made.includes('The authorization header is parsed in src/auth.ts with Bearer [secret].'),
      made.includes('abc123'),
    ]).toEqual([true, true, false]);
  });
});
