import { describe, expect, it, vi } from 'vitest';
import { toDisposable } from '../../../../src/base/disposable';
import { ApprovalNotices } from '../../../../src/host/notifications/approvalNotices';
import type { Approval, ApprovalRequest } from '../../../../src/transcript/approval';
import type { NotificationMode } from '../../../../src/host/settings/settings';
import type { TurnEvent } from '../../../../src/transcript/turnEvent';
import { ManualClock } from '../../../support/manualClock';
import { RecordingLog } from '../recordingLog';
import { settle } from '../recordingPort';
import { ScriptedGateway, session } from '../scriptedGateway';

const approval = (id: string, subject = 'git push', over: Partial<ApprovalRequest> = {}): Approval => ({
  id,
  sessionId: 's1',
  turnUid: 't1',
  messageUid: 'm1',
  callId: 'c1',
  requestedAt: 1,
  state: { kind: 'pending' },
  request: {
    tool: 'run_command',
    access: { kind: 'editorTool', name: 'x' },
    subject,
    reasons: [],
    rules: [],
    preview: null,
    ...over,
  },
});
const turn = {
  uid: 't1',
  sessionId: 's1',
  userMessageUid: 'u1',
  model: 'm',
  startedAt: 1,
  usage: null,
  supersedes: null,
};
const asked = (id: string, subject?: string, over?: Partial<ApprovalRequest>): TurnEvent => ({
  kind: 'approvalRequested',
  turn: { ...turn, state: 'waiting', approvalId: id },
  approval: approval(id, subject, over),
});
const decided = (id: string): TurnEvent => ({
  kind: 'approvalDecided',
  turn: { ...turn, state: 'running' },
  approval: approval(id),
});

const editor = vi.hoisted(() => ({
  notify: async (..._shown: readonly string[]): Promise<string | undefined> => undefined,
}));
vi.mock('vscode', () => ({
  window: { showInformationMessage: (...shown: readonly string[]) => editor.notify(...shown) },
}));

type Around = { readonly when?: NotificationMode; readonly isInSight?: boolean };

function notices({ when = 'whenHidden', isInSight = false }: Around = {}, press?: string) {
  const gateway = new ScriptedGateway(session('s1'));
  const shown: string[] = [];
  editor.notify = async (...told) => (shown.push(told.join(' | ')), press);
  const clock = new ManualClock();
  let tell: (event: { readonly sessionId: string; readonly event: TurnEvent }) => void = () => undefined;
  const made = new ApprovalNotices({
    gateway: {
      surfaces: { onDidTurnEvent: (listener) => ((tell = listener), toDisposable(() => undefined)) },
      approvals: {
        decide: (id, decision) => gateway.approvals.decide(id, decision),
        pending: async () => approval('stored'),
      },
      store: { listSessions: (query) => gateway.store.listSessions(query) },
    },
    settings: { current: { notifications: when }, saveNotifications: async () => undefined },
    activeChat: { all: [{ shownSession: 's1', isVisible: () => isInSight }] },
    opener: { open: async (id) => void gateway.calls.push(`open ${id}`) },
    log: new RecordingLog(),
    clock,
  });
  return { gateway, shown, made, clock, happens: (event: TurnEvent) => tell({ sessionId: 's1', event }) };
}

describe('a question that no view shows', () => {
  it.each([
    ['Allow Once', 'decide a1 allow'],
    ['Deny', 'decide a1 deny'],
    ['Open', 'open s1'],
  ])('is announced once, and "%s" carries it out', async (button, call) => {
    const { gateway, shown, made, happens } = notices({}, button);
    happens(asked('a1'));
    happens(asked('a1'));
    await settle();
    expect([shown, gateway.calls, made.count]).toEqual([
      ['Hermes needs your approval: git push | Allow Once | Deny | Open'],
      [call],
      1,
    ]);
  });

  it('of a sub-agent counts for the session it works for, once, until it asks nothing more', async () => {
    const { made, shown, happens } = notices();
    const its: Approval = {
      ...approval('a1'),
      sessionId: 'child',
      turnUid: 't9',
      subAgent: { title: 'Look', turnUid: 't1', callId: 'c1' },
    };
    happens({
      kind: 'approvalRequested',
      turn: { ...turn, uid: 't9', sessionId: 'child', state: 'waiting', approvalId: 'a1' },
      approval: its,
    });
    const before = made.count;
    happens({ kind: 'subAgentAsks', turnUid: 't1', approval: its });
    const asking = made.count;
    happens({ kind: 'subAgentAsks', turnUid: 't1', approval: null });
    await settle();
    expect([before, asking, made.count, shown.length]).toEqual([0, 1, 0, 1]);
  });

  it('cannot put a link into the notification, nor fill the screen', async () => {
    const { shown, happens } = notices();
    happens(asked('a1', `[ok](command:evil)\n${'x'.repeat(500)}`));
    await settle();
    expect([shown[0]?.includes(']('), (shown[0]?.length ?? 999) < 280]).toEqual([false, true]);
  });

  it.each<[string, string, Partial<ApprovalRequest>]>([
    ['that is longer than what is shown', `ls ${'a'.repeat(300)}; rm -rf src`, {}],
    ['with a difference', 'src/a.ts', { preview: '+text' }],
    [
      'in a folder elsewhere',
      'make',
      {
        access: {
          kind: 'run',
          command: 'make',
          shell: 'posix',
          folder: { path: '/elsewhere', shown: '/elsewhere', isInside: false },
        },
      },
    ],
  ])('%s cannot be allowed from a notification: the user has to look at it', async (_which, subject, over) => {
    const { shown, happens } = notices();
    happens(asked('a1', subject, over));
    await settle();
    expect(shown.map((each) => each.split(' | ').slice(1))).toEqual([['Deny', 'Open']]);
  });

  it('waiting in the store is counted once the store is open, and announced once after views had time to return', async () => {
    const { gateway, shown, made, clock } = notices();
    gateway.listed.set('s1', { lastTurn: { state: 'waiting' } });
    await made.readWaiting();
    const atOnce = [shown.length, made.count];
    await clock.advance(10_000);
    expect([atOnce, shown.length]).toEqual([[0, 1], 1]);
  });

  it.each<[string, Around, TurnEvent[]]>([
    ['is in sight by then', { isInSight: true }, []],
    ['was decided by then', {}, [decided('stored')]],
  ])('waiting in the store is not announced if it %s', async (_which, over, events) => {
    const { gateway, shown, made, clock, happens } = notices(over);
    gateway.listed.set('s1', { lastTurn: { state: 'waiting' } });
    await made.readWaiting();
    for (const event of events) happens(event);
    await clock.advance(10_000);
    expect(shown).toEqual([]);
  });
});

it.each([
  ['whenHidden', true, 0],
  ['whenHidden', false, 1],
  ['always', true, 1],
  ['never', false, 0],
] as const)('with %s, in sight: %s, shows %d notifications', async (when, inSight, count) => {
  const { shown, happens } = notices({ when, isInSight: inSight });
  happens(asked('a1'));
  await settle();
  expect(shown.length).toBe(count);
});
