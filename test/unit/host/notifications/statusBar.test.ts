import { describe, expect, it } from 'vitest';
import { toDisposable } from '../../../../src/base/disposable';
import { statusItem, type RunningSession, type StatusFacts } from '../../../../src/host/notifications/statusBar';
import { StatusPresenter } from '../../../../src/host/notifications/statusPresenter';
import type { TurnEvent } from '../../../../src/transcript/turnEvent';
import { answer, call, settledTurn } from '../../../support/builders/viewMessages';
import { ManualClock } from '../../../support/manualClock';
import { settle } from '../recordingPort';
import { userMessage } from '../scriptedGateway';

const model = { label: 'Qwen', destination: '127.0.0.1:11434' };
const running = (over: Partial<RunningSession> = {}): RunningSession => ({
  sessionId: 's1',
  title: 'Fix upload',
  startedAt: null,
  call: null,
  contextUsed: null,
  ...over,
});
const words = (over: Partial<StatusFacts> = {}) =>
  statusItem({
    running: [],
    commands: [],
    waiting: 0,
    store: 'open',
    model,
    spending: null,
    sync: null,
    now: 100,
    ...over,
  });

describe('the status bar', () => {
  it('shows the current state, and warns only when the user is needed', () => {
    const seen = [
      words({ model: null }),
      words({ store: 'opening' }),
      words({ running: [running()] }),
      words({ running: [running(), running(), running()] }),
      words({ running: [running()], store: 'failed' }),
      words({ store: 'elsewhere' }),
      words({ running: [running(), running()], waiting: 1 }),
    ];
    expect(seen.map(({ text, accessibleLabel: spoken, warning }) => [text, spoken, warning])).toEqual([
      ['$(sparkle) Hermes', 'Hermes: ready (no model selected)', false],
      ['$(sparkle) Qwen', 'Hermes: ready (Qwen, 127.0.0.1:11434)', false],
      ['$(loading~spin) Qwen', 'Hermes: answering (Qwen, 127.0.0.1:11434)', false],
      ['$(loading~spin) Qwen', 'Hermes: answering in 3 sessions (Qwen, 127.0.0.1:11434)', false],
      ['$(warning) Hermes', 'Hermes: sessions can’t be saved. Open the chat for details.', true],
      ['$(multiple-windows) Hermes', 'Hermes: sessions are open in another window.', false],
      ['$(bell-dot) Qwen', 'Hermes: waiting for your approval (Qwen, 127.0.0.1:11434)', true],
    ]);
  });

  it('names slow work, briefly', () => {
    const call = (name: string, startedAt: number) => words({ running: [running({ call: { name, startedAt } })] }).text;
    expect([
      call('npm test', 88),
      call('npm test', 100),
      call('npm test', -100),
      call('find . -name "*.ts" -exec wc -l {} +', 99),
      call('echo $(bell)', 100),
      call('for i in $(seq 1 40)', 100),
    ]).toEqual([
      '$(loading~spin) npm test 12 s',
      '$(loading~spin) npm test',
      '$(loading~spin) npm test 3 min',
      '$(loading~spin) find . -name "*.ts" -exe… 1 s',
      '$(loading~spin) echo \\$(bell)',
      '$(loading~spin) for i in $(seq 1 40)',
    ]);
  });

  it('counts the commands that run in the background, and names them in its tooltip', () => {
    const many = Array.from({ length: 7 }, (_, index) => ({ command: `watch *${index}*`, startedAt: 0 }));
    const some = words({ commands: many });
    expect([
      words({ commands: many.slice(0, 1) }).text,
      some.text,
      words({ commands: many, running: [running()] }).text,
      some.tooltip
        .split('\n\n')
        .map((line) => line.replace(/ · since .*/, ''))
        .slice(1),
    ]).toEqual([
      '$(sparkle) Qwen $(terminal) 1 command',
      '$(sparkle) Qwen $(terminal) 7 commands',
      '$(loading~spin) Qwen $(terminal) 7 commands',
      [
        ...many.slice(0, 5).map((_, index) => `running watch \\*${index}\\*`),
        '[Running Commands…](command:hermes.runningCommands)',
        '[Open Chat](command:hermes.focusChat)',
      ],
    ]);
  });

  it("lists every running session in its tooltip, with links to open and stop it; a model's text makes no link", () => {
    const { tooltip } = words({
      running: [
        running({ title: '[Fix](command:evil) `x`', call: { name: 'npm test', startedAt: 1 }, contextUsed: 0.412 }),
      ],
    });
    expect(tooltip.split('\n\n')).toEqual([
      'Hermes: answering \\(Qwen, 127.0.0.1:11434\\)',
      '**\\[Fix\\]\\(command:evil\\) \\`x\\`** · running npm test · context 41% full · ' +
        `[Open](command:hermes.openSession?${encodeURIComponent('[{"sessionId":"s1"}]')}) · ` +
        `[Stop](command:hermes.stop?${encodeURIComponent('[{"sessionId":"s1"}]')})`,
      '[Open Chat](command:hermes.focusChat)',
    ]);
  });

  it('shows the cost of the session and of today, and never calls an unknown price 0', () => {
    const cost = (usd: number, unpriced = 0) => ({ usd, unpriced });
    const line = (spending: StatusFacts['spending']) => words({ spending }).tooltip.split('\n\n')[1];
    expect([
      line({ session: cost(0.4217), today: cost(12.3) }),
      line({ session: cost(0), today: cost(0.05, 2) }),
      line({ session: cost(0, 1), today: cost(0, 1) }),
      line({ session: null, today: cost(2) }),
      line(null),
    ]).toEqual([
      'This session: \\$0.42 · Today: \\$12.30',
      'This session: \\$0.00 · Today: at least \\$0.05',
      'This session: price unknown · Today: price unknown',
      'Today: \\$2.00',
      '[Open Chat](command:hermes.focusChat)',
    ]);
  });
});

const silent = () => toDisposable(() => undefined);
/** The rest of a window. */
const around = {
  history: { store: { getSession: async () => null }, status: { shown: { kind: 'open' as const } } },
  terminal: { inBackground: [] },
  approvalNotices: { count: 0 },
  panel: { shownSession: null, modelState: { chosen: model } },
  sync: { line: null },
};

type Given = ConstructorParameters<typeof StatusPresenter>[0];
function presenter(window: Pick<Given, 'gateway' | 'clock'> & Partial<Given>) {
  const shown: StatusFacts[] = [];
  const service = new StatusPresenter({ ...around, ...window }, { show: (facts) => void shown.push(facts) });
  return { shown, service };
}

describe('the data for the status bar', () => {
  it('names the running call and its start time, in the words of a command', async () => {
    const clock = new ManualClock();
    let tell: (event: { readonly sessionId: string; readonly event: TurnEvent }) => void = () => undefined;
    const { shown, service } = presenter({
      gateway: {
        turns: {
          running: () => [
            { sessionId: 's1', turnUid: 't1', activity: null, isWaiting: false },
            { sessionId: 'child', turnUid: 't2', activity: null, isWaiting: false, isSubAgent: true },
          ],
          onDidChangeRunning: silent,
        },
        surfaces: {
          onDidTurnEvent: (listener) => ((tell = listener), toDisposable(() => undefined)),
          onDidChangeSessions: silent,
        },
        compression: { contextUse: async () => ({ tokens: 50, counted: true, window: 100, parts: null }) },
        spending: { costs: async () => ({ session: null, today: { usd: 0, unpriced: 0 } }) },
      },
      history: { ...around.history, store: { getSession: async () => ({ title: 'Fix upload' }) } },
      clock,
    });
    const happens = (event: TurnEvent) => tell({ sessionId: 's1', event });
    happens({
      kind: 'turnOpened',
      turn: {
        uid: 't1',
        sessionId: 's1',
        userMessageUid: 'u1',
        model: 'm',
        startedAt: 5,
        usage: null,
        supersedes: null,
        state: 'running',
      },
      userMessage: userMessage('u1', 'go'),
    });
    happens({
      kind: 'messageStored',
      message: answer({ uid: 'a1', position: 2 }, [call('c1', 'run_command', { command: 'npm test' })]),
    });
    happens({ kind: 'activity', turnUid: 't1', activity: { kind: 'runningTool', callId: 'c1', startedAt: 7 } });
    await settle();
    const during = shown.at(-1)?.running;
    clock.advance(1000);
    const ticked = shown.length;
    happens({ kind: 'activity', turnUid: 't1', activity: { kind: 'answering' } });
    const after = shown.at(-1)?.running[0]?.call;
    const still = shown.length;
    clock.advance(5000);
    service.dispose();
    expect([during, ticked > 1, after, shown.length - still]).toEqual([
      [
        {
          sessionId: 's1',
          title: 'Fix upload',
          startedAt: 5,
          call: { name: 'npm test', startedAt: 7 },
          contextUsed: null,
        },
      ],
      true,
      null,
      0,
    ]);
  });

  it('reads the cost when another session is shown and when a turn settles, and again after a failure', async () => {
    const asked: (string | null)[] = [];
    let [shownSession, isOpen]: [string | null, boolean] = [null, false];
    let tell: (event: { readonly sessionId: string; readonly event: TurnEvent }) => void = () => undefined;
    const { shown, service } = presenter({
      gateway: {
        turns: { running: () => [], onDidChangeRunning: silent },
        surfaces: {
          onDidTurnEvent: (listener) => ((tell = listener), toDisposable(() => undefined)),
          onDidChangeSessions: silent,
        },
        compression: { contextUse: () => Promise.reject(new Error('no model')) },
        spending: {
          costs: async (sessionId) => {
            asked.push(sessionId);
            if (!isOpen) throw new Error('elsewhere');
            return { session: null, today: { usd: asked.length, unpriced: 0 } };
          },
        },
      },
      panel: {
        get shownSession() {
          return shownSession;
        },
        modelState: { chosen: model },
      },
      clock: new ManualClock(),
    });
    const showAndWait = async (): Promise<void> => (service.show(), await settle());
    await showAndWait();
    isOpen = true;
    await showAndWait();
    await showAndWait();
    shownSession = 's1';
    await showAndWait();
    tell({ sessionId: 's1', event: { kind: 'turnSettled', turn: settledTurn('t1'), messages: [] } });
    await settle();
    service.dispose();
    expect([asked, shown.at(-1)?.spending?.today.usd]).toEqual([[null, null, 's1', 's1'], 4]);
  });
});
