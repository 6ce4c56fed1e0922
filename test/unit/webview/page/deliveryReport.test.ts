import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chunk } from '../../../../src/transcript/message';
import { emptyHash, hashFrom, hashOn, hashWord, textHash } from '../../../../src/transcript/deliveryEntry';
import {
  applyChunks,
  emptyMessage,
  fromRow,
  mergeRow,
  type LiveMessage,
} from '../../../../src/webview/chat/state/liveMessage';
import { DeliveryReport } from '../../../../src/webview/chat/verify/deliveryReport';
import { answer } from '../../../support/builders/viewMessages';

const place = { uid: 'm1', position: 1 };

function streamed(text: string, cuts: readonly number[]): readonly Chunk[] {
  const borders = [
    0,
    ...[...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b),
    text.length,
  ].filter((border, index, all) => index === 0 || border > (all[index - 1] ?? 0));
  return borders.slice(1).map((end, index) => ({
    messageUid: 'm1',
    seq: index + 1,
    part: 0,
    kind: 'text',
    start: borders[index] ?? 0,
    text: text.slice(borders[index], end),
  }));
}

function entry(text: string, change: object = {}): object {
  return {
    messageUid: 'm1',
    turnUid: 'turn1',
    part: 0,
    kind: 'text',
    length: text.length,
    hash: textHash(text),
    ...change,
  };
}

describe('the hash of a text', () => {
  it('is the same however the text arrived, and continues from its own words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), (text, cut) => {
        const at = cut % (text.length + 1);
        expect(hashWord(hashOn(hashFrom(hashWord(hashOn(emptyHash, text, 0, at))), text, at))).toBe(textHash(text));
      }),
    );
  });

  it('differs when a unit is altered, lost, duplicated or moved', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 2, maxLength: 400 }), fc.nat(), (text, where) => {
        const at = where % text.length;
        const changed = [
          text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1),
          text.slice(0, at) + text.slice(at + 1),
          text.slice(0, at + 1) + text.slice(at),
          text.slice(at) + text.slice(0, at),
        ];
        for (const other of changed) if (other !== text) expect(textHash(other)).not.toBe(textHash(text));
      }),
    );
  });
});

describe('the delivery report of a view', () => {
  it('records what was rendered, whenever it looked between the chunks', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 200 }),
        fc.array(fc.nat()),
        fc.array(fc.boolean()),
        (text, cuts, looks) => {
          const report = new DeliveryReport();
          let live: LiveMessage = emptyMessage('m1', 'turn1');
          streamed(text, cuts).forEach((chunk, index) => {
            live = applyChunks(live, [chunk], 0);
            if (looks[index] === true) report.observe('c', [live]);
          });
          report.observe('c', [live]);
          report.observe('c', [mergeRow(live, answer(place, [text], { lastSeq: 99 }), 'row', 0)]);
          expect(report.entriesOf('c')).toEqual([entry(text)]);
        },
      ),
    );
  });

  it('keeps its first shown text when another text takes its place', () => {
    const report = new DeliveryReport();
    report.observe('c', [applyChunks(emptyMessage('m1', 'turn1'), streamed('Hello world', []), 0)]);
    report.observe('c', [fromRow(answer(place, ['Hello there, and more of it']))]);
    report.observe('c', [fromRow(answer(place, ['Hello']))]);
    expect(report.entriesOf('c')).toEqual([entry('Hello world')]);
  });

  it('starts over from data it cannot read', () => {
    expect(new DeliveryReport([{ id: 'c', messages: 'none' }]).kept()).toEqual([]);
  });

  it('reports after a crash how much of the shown text was restored', () => {
    const survival = (disk: readonly LiveMessage[], isWhole = true): unknown => {
      const before = new DeliveryReport();
      before.observe('c', [applyChunks(emptyMessage('m1', 'turn1'), streamed('Hello world', []), 0)]);
      const after = new DeliveryReport(before.kept());
      after.observe('c', disk);
      return after.survivalOf('c', 'turn1', isWhole);
    };
    expect({
      whole: survival([fromRow(answer(place, ['Hello world']))]),
      moreThanShown: survival([fromRow(answer(place, ['Hello world, and what was never drawn']))]),
      shorter: survival([fromRow(answer(place, ['Hello']))]),
      altered: survival([fromRow(answer(place, ['Hello w0rld']))]),
      gone: survival([]),
      notLoaded: survival([], false),
    }).toEqual({
      whole: { shown: 11, onDisk: 11, stored: 11 },
      moreThanShown: { shown: 11, onDisk: 11, stored: 37 },
      shorter: { shown: 11, onDisk: 0, stored: 5 },
      altered: { shown: 11, onDisk: 0, stored: 11 },
      gone: { shown: 11, onDisk: 0, stored: 0 },
      notLoaded: { shown: 0, onDisk: 0, stored: 0 },
    });
  });

  it('reports the same number after every later reload, although it shows the rest of the text since', () => {
    const disk = [fromRow(answer(place, ['Hello world, and what was never drawn']))];
    const reloaded = (report: DeliveryReport): DeliveryReport => {
      const next = new DeliveryReport(JSON.parse(JSON.stringify(report.kept())));
      next.observe('c', disk);
      return next;
    };
    const killed = new DeliveryReport();
    killed.observe('c', [applyChunks(emptyMessage('m1', 'turn1'), streamed('Hello world', []), 0)]);
    const restored = reloaded(killed);
    const again = reloaded(reloaded(restored));
    const unseen = reloaded(reloaded(new DeliveryReport()));
    const lost = new DeliveryReport(restored.kept());
    lost.observe('c', [fromRow(answer(place, ['Hello']))]);
    expect({
      first: restored.survivalOf('c', 'turn1', true),
      again: again.survivalOf('c', 'turn1', true),
      unseen: unseen.survivalOf('c', 'turn1', true),
      lost: lost.survivalOf('c', 'turn1', true),
      entries: again.entriesOf('c'),
    }).toEqual({
      first: { shown: 11, onDisk: 11, stored: 37 },
      again: { shown: 11, onDisk: 11, stored: 37 },
      unseen: { shown: 0, onDisk: 0, stored: 0 },
      lost: { shown: 37, onDisk: 0, stored: 5 },
      entries: [entry('Hello world, and what was never drawn')],
    });
  });

  it('ignores prompts, tool rows, and rows that are not shown', () => {
    const report = new DeliveryReport();
    report.observe('c', [fromRow(answer({ ...place, visibility: { kind: 'closing' } }, ['never shown']))]);
    expect(report.entriesOf('c')).toEqual([]);
  });

  it('remembers the newest messages of the last shown sessions, within bounds, and forgets on request', () => {
    const report = new DeliveryReport();
    for (let session = 0; session < 8; session++) {
      report.observe(
        `conversation${session}`,
        Array.from({ length: 600 }, (_, index) =>
          fromRow(
            answer(
              {
                uid: `${session}-${'0'.repeat(24)}-${index}`,
                position: index,
                turnUid: `turn-${'0'.repeat(24)}-${index}`,
              },
              ['thinking', `text ${index}`],
            ),
          ),
        ),
      );
    }
    report.forget(['conversation6']);
    const kept = report.kept();
    expect({
      sessions: kept.map(({ id, messages }) => [id, messages.length, messages.at(-1)?.m.split('-').at(-1)]),
      bytes: JSON.stringify(kept).length <= 100_000,
    }).toEqual({
      sessions: [
        ['conversation7', 300, '599'],
        ...[5, 4, 3, 2].map((session) => [`conversation${session}`, 60, '599']),
      ],
      bytes: true,
    });
    report.observe('long', [
      fromRow(
        answer(
          place,
          Array.from({ length: 5000 }, (_, index) => `part ${index}`),
        ),
      ),
    ]);
    expect(JSON.stringify(report.kept()).length).toBeLessThanOrEqual(100_000);
  });

  it('has the shown text only as long as it is the text it rendered', () => {
    const report = new DeliveryReport();
    const live = applyChunks(emptyMessage('m1', 'turn1'), streamed('Hello world', []), 0);
    report.observe('c', [live]);
    const had = report.shownText('m1');
    report.observe('c', [fromRow(answer(place, ['Hello']))]);
    expect([had, report.shownText('m1')]).toEqual(['Hello world', null]);
  });
});
