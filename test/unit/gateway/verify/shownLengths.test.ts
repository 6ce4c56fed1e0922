import { afterEach, describe, expect, it } from 'vitest';
import { ShownLengths } from '../../../../src/gateway/verify/shownLengths';
import { StoreError } from '../../../../src/store/storeError';
import type { Chunk } from '../../../../src/transcript/message';
import { TranscriptBuilder } from '../../../support/builders/messages';
import { reply } from '../../../support/modelServer';
import { World } from '../../../support/world';

const chunk = (seq: number, part: number, start: number, text: string): Chunk => ({
  messageUid: 'm1',
  seq,
  part,
  kind: 'text',
  start,
  text,
});

describe('the delivery report', () => {
  it('reports nothing missing if the stored rows begin with what was shown', () => {
    const report = new ShownLengths('t');
    report.observe(
      { kind: 'delivered', turnUid: 't', chunks: [chunk(1, 0, 0, 'Hello '), chunk(2, 0, 6, 'world')] },
      's',
    );
    expect(report.missingFrom(new TranscriptBuilder().assistant('Hello world!').messages)).toEqual([]);
  });

  it('names rows that are shorter, different or missing', () => {
    const report = new ShownLengths('t');
    report.observe({ kind: 'delivered', turnUid: 't', chunks: [chunk(1, 0, 0, 'Hello world')] }, 's');
    const missing = (rows: TranscriptBuilder) => report.missingFrom(rows.messages).map(({ stored }) => stored);
    expect([
      missing(new TranscriptBuilder().assistant('Hello')),
      missing(new TranscriptBuilder().assistant('Other words')),
      missing(new TranscriptBuilder()),
    ]).toEqual([['Hello'], ['Other words'], [null]]);
  });
});

describe('after a turn', () => {
  let world: World;
  afterEach(() => world.close());

  it('shown text that is not stored is written, and the log reports it', async () => {
    world = await World.create();
    world.server.script(reply().says('Hello ').pauses(50).says('world'));
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'Hi');
    await panel.until(() => panel.deliveredText === 'Hello ');
    // The disk fails, and what was on it is gone when it is back.
    const mend = world.breakStore(() => new StoreError('full', 'The disk is full.', 'full'));
    await panel.untilSettled(1);
    world.damageStore('DELETE FROM stream_chunks');
    world.damageStore("DELETE FROM messages WHERE role = 'assistant'");
    mend();
    await panel.untilSettled(2);
    await world.idle();
    expect({
      lines: (await world.lines(sessionId)).filter((line) => !line.includes('(closing)')),
      log: world.logLines.filter((line) => line.includes('Backfill')),
    }).toEqual({
      lines: ['user: Hi', 'assistant: Hello '],
      log: [
        expect.stringMatching(
          /^info Backfill 1: turn .*, message .*, part 0: 6 characters were shown, 0 were stored\.$/,
        ),
      ],
    });
  });
});
