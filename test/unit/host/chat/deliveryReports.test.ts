import { describe, expect, it, vi } from 'vitest';
import { Emitter } from '../../../../src/base/disposable';
import { DeliveryReports } from '../../../../src/host/chat/deliveryReports';
import { TabVerification } from '../../../../src/features/transcript/host/tabVerification';
import type { WindowContext } from '../../../../src/host/window/windowContext';
import type { ReportRequest } from '../../../../src/protocol/deliveryProtocol';
import type { DeliveryEntry } from '../../../../src/transcript/deliveryEntry';
import { session } from '../../../support/builders/viewMessages';
import { ManualClock } from '../../../support/manualClock';
import { editor } from '../answeringEditor';
import { RecordingLog } from '../recordingLog';

vi.mock('vscode', () => import('../answeringEditor'));

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
    const done = editor.shown;
    const window = { reports, editor: { copy: async (text: string) => void done.push(`copied ${text}`) } };
    const page = { asked: () => undefined, progress: () => undefined };
    const verify = new TabVerification(window as unknown as WindowContext, null, page);
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
