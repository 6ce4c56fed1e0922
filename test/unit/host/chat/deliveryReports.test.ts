import { describe, expect, it } from 'vitest';
import { Emitter } from '../../../../src/base/disposable';
import { DeliveryReports } from '../../../../src/host/chat/deliveryReports';
import { VerifyService } from '../../../../src/features/transcript/host/verifyService';
import type { ReportRequest } from '../../../../src/protocol/deliveryProtocol';
import type { DeliveryEntry } from '../../../../src/transcript/deliveryEntry';
import { session } from '../../../support/builders/viewMessages';
import { ManualClock } from '../../../support/manualClock';
import { RecordingLog } from '../recordingLog';

function service(change: { readonly readable?: boolean } = {}) {
  const stored = new Set(['c1', 'c2']);
  const changed = new Emitter<readonly string[]>();
  const clock = new ManualClock();
  const asks: ReportRequest[] = [];
  const plug = { conversationId: 'c1', turnUid: 't', at: 1 };
  const reports = new DeliveryReports({
    history: {
      store: { getSession: async (id) => (stored.has(id) ? session({ id, conversationId: id }) : null) },
      status: { settled: async () => undefined, isReadable: change.readable ?? true },
    },
    gateway: { surfaces: { onDidChangeSessions: changed.event } },
    crashDemo: { current: { current: plug, seen: () => undefined } },
    clock,
    log: new RecordingLog(),
  });
  reports.onDidAsk((ask) => asks.push(ask));
  return { reports, stored, changed, asks, clock, plug };
}

const entry = (messageUid: string, length = 5): DeliveryEntry => ({
  messageUid,
  turnUid: 't',
  part: 0,
  kind: 'text',
  length,
  hash: '0'.repeat(16),
});
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the delivery reports of views', () => {
  it('are kept by view, the newer value for each part; reports on unstored parts are returned to be forgotten', async () => {
    const { reports, plug } = service();
    await reports.reportDelivery('chat', [{ conversationId: 'c1', entries: [entry('m1')] }]);
    await reports.reportDelivery('tab', [{ conversationId: 'c1', entries: [entry('m1', 3)] }]);
    const answer = await reports.reportDelivery('chat', [
      { conversationId: 'c1', entries: [entry('m1', 9)] },
      { conversationId: 'gone', entries: [entry('m2')] },
    ]);
    expect([answer, reports.entriesOf('c1').map(({ length }) => length), reports.entriesOf('gone')]).toEqual([
      { forgotten: ['gone'], crashDemo: plug },
      [9, 3],
      [],
    ]);
  });

  it('are erased with their session, here and in the views, even in views that had not reported it', async () => {
    const { reports, stored, changed, asks } = service();
    await reports.reportDelivery('chat', [{ conversationId: 'c1', entries: [entry('m1')] }]);
    stored.delete('c1');
    changed.fire(['c1', 'c2']);
    await settle();
    expect([reports.entriesOf('c1'), asks]).toEqual([[], [{ kind: 'erased', conversationIds: ['c1'] }]]);
  });

  it('are accepted only while the history can be read, so that none is forgotten by mistake', async () => {
    await expect(
      service({ readable: false }).reports.reportDelivery('chat', [{ conversationId: 'c1', entries: [] }]),
    ).rejects.toThrow('can’t be read');
  });

  it('copy what a view still has on its screen, or say that no view has it', async () => {
    const { reports, clock } = service();
    const done: string[] = [];
    const broken = (): Promise<never> => Promise.reject(new Error('not asked'));
    const verify = new VerifyService({
      store: {
        getSession: broken,
        getMessage: broken,
        getTurn: broken,
        revisionsOf: broken,
        readTranscript: broken,
        verifyIntegrity: broken,
        checkSession: broken,
      },
      reports,
      clock,
      log: new RecordingLog(),
      t: (message) => message,
      isAnswering: () => false,
      server: () => Promise.resolve(null),
      storeSentence: () => null,
      copy: async (text) => void done.push(`copied ${text}`),
      notify: (sentence) => void done.push(sentence),
    });
    const first = verify.copyShown('m1');
    reports.shownText('m1', null);
    reports.shownText('m1', 'Hello');
    await first;
    const second = verify.copyShown('m2');
    await clock.advance(1000);
    await second;
    expect(done).toEqual([
      'copied Hello',
      'The text that was shown is copied to the clipboard.',
      'The original view is gone; only its length can be compared.',
    ]);
  });
});
