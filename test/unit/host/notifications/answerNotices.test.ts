import { describe, expect, it, vi } from 'vitest';
import { toDisposable } from '../../../../src/base/disposable';
import { AnswerNotices } from '../../../../src/host/notifications/answerNotices';
import type { Settlement } from '../../../../src/transcript/turn';
import type { TurnEvent } from '../../../../src/transcript/turnEvent';
import { RecordingLog } from '../recordingLog';
import { settledTurn } from '../../../support/builders/viewMessages';
import { settle } from '../recordingPort';

const complete: Settlement = { outcome: 'complete', stopReason: 'stop', failure: null };
const failed: Settlement = {
  outcome: 'failed',
  stopReason: 'error',
  failure: { cause: 'auth', sentence: 'The key was refused (401).', technical: '' },
};

function ended(how: Settlement, seconds = 60): TurnEvent {
  const turn = settledTurn('t1', 'u1', how);
  return { kind: 'turnSettled', turn: { ...turn, settledAt: turn.startedAt + seconds }, messages: [] };
}

const editor = vi.hoisted(() => ({
  focused: true,
  notify: async (_message: string): Promise<string | undefined> => undefined,
}));
vi.mock('vscode', () => ({
  window: {
    state: editor,
    showInformationMessage: (message: string) => editor.notify(`info: ${message}`),
    showWarningMessage: (message: string) => editor.notify(`warning: ${message}`),
  },
}));

interface Around {
  readonly when?: 'always' | 'never';
  readonly isInSight?: true;
  readonly isBehind?: true;
  readonly session?: { readonly title: string; readonly parentKind: 'delegate' | null };
  readonly failure?: Error;
  readonly log?: RecordingLog;
}

async function seen(events: readonly TurnEvent[], over: Around = {}, press?: string) {
  const [shown, calls]: [string[], string[]] = [[], []];
  editor.focused = over.isBehind !== true;
  editor.notify = async (message) => {
    if (over.failure !== undefined) throw over.failure;
    shown.push(message);
    return press;
  };
  let tell: (event: { readonly sessionId: string; readonly event: TurnEvent }) => void = () => undefined;
  const made = new AnswerNotices({
    gateway: { surfaces: { onDidTurnEvent: (listener) => ((tell = listener), toDisposable(() => undefined)) } },
    history: { store: { getSession: async () => over.session ?? { title: 'Fix upload', parentKind: null } } },
    settings: {
      current: { notifications: over.when ?? 'whenHidden' },
      saveNotifications: async (mode) => void calls.push(mode),
    },
    activeChat: { all: [{ shownSession: 's1', isVisible: () => over.isInSight === true }] },
    opener: { open: async (id) => void calls.push(`open ${id}`) },
    log: over.log ?? new RecordingLog(),
  });
  for (const event of events) tell({ sessionId: 's1', event });
  await settle();
  made.dispose();
  return { shown, calls };
}

const answered = 'info: Hermes answered in “Fix upload”.';

describe('an answer that ends', () => {
  it('is announced once if no view showed it', async () => {
    expect((await seen([ended(complete), ended(complete)])).shown).toEqual([answered]);
  });

  it.each<readonly [string, Settlement, number, Around, readonly string[]]>([
    ['a short one beside the window in front', complete, 5, {}, []],
    ['a short one behind another program', complete, 5, { isBehind: true }, [answered]],
    ['one in sight', complete, 60, { isInSight: true }, []],
    ['one in sight of nobody, behind another program', complete, 60, { isInSight: true, isBehind: true }, [answered]],
    [
      'one that failed at once',
      failed,
      1,
      {},
      ['warning: Hermes couldn’t finish its answer in “Fix upload”. The key was refused (401).'],
    ],
    [
      'one that lost its connection',
      { outcome: 'interrupted', stopReason: 'connectionLost', failure: null },
      1,
      {},
      ['warning: Hermes couldn’t finish its answer in “Fix upload”. Everything shown is saved.'],
    ],
    ['one that the person stopped', { outcome: 'interrupted', stopReason: 'user', failure: null }, 60, {}, []],
    ['any, where nothing is to be announced', complete, 60, { when: 'never' }, []],
    ['any, where everything is', complete, 1, { when: 'always', isInSight: true }, [answered]],
    ['one of a sub-agent', complete, 60, { session: { title: 'Look', parentKind: 'delegate' } }, []],
    [
      'one whose title is a trap',
      complete,
      60,
      { session: { title: '[x](command:evil)\nnext', parentKind: null } },
      ['info: Hermes answered in “[x] (command:evil) next”.'],
    ],
  ])('is announced as configured: %s', async (_name, how, seconds, over, expected) => {
    expect((await seen([ended(how, seconds)], over)).shown).toEqual(expected);
  });

  it('logs nothing for a notification that closed with its window, but logs one that could not be shown', async () => {
    const told = async (failure: Error): Promise<readonly string[]> => {
      const log = new RecordingLog();
      await seen([ended(complete)], { log, failure });
      return log.lines;
    };
    const canceled = Object.assign(new Error('Canceled'), { name: 'Canceled' });
    expect([await told(canceled), await told(new Error('No such command.'))]).toEqual([
      [],
      [expect.stringContaining('warn: The end of an answer could not be announced')],
    ]);
  });

  it('offers buttons to open its session and to mute', async () => {
    expect([
      (await seen([ended(complete)], {}, 'Open')).calls,
      (await seen([ended(complete)], {}, 'Don’t Show Again')).calls,
      (await seen([ended(complete)])).calls,
    ]).toEqual([['open s1'], ['never'], []]);
  });
});
