import { describe, expect, it } from 'vitest';
import { GatewayTurnGuard } from '../../../../src/host/storage/turnGuard';
import { RecordingLog } from '../recordingLog';
import { settle } from '../recordingPort';
import { ScriptedGateway, session } from '../scriptedGateway';

describe('another window that asks for the history', () => {
  it('learns which session is answering, and may have every turn stopped', async () => {
    const gateway = new ScriptedGateway(session('s1', { title: 'Fix upload' }));
    const guard = new GatewayTurnGuard(
      gateway,
      { getSession: async (id) => gateway.sessions.get(id) ?? null },
      new RecordingLog(),
    );
    const idle = guard.isBusy();
    gateway.run('s1');
    const atOnce = guard.isBusy();
    await settle();
    const then = guard.isBusy();
    gateway.running = [
      ...gateway.running,
      { sessionId: 's2', turnUid: 't2', activity: null, isWaiting: false },
      { sessionId: 's3', turnUid: 't3', activity: null, isWaiting: true },
    ];
    await guard.stopRunning();
    guard.dispose();
    expect({ idle, atOnce, then, calls: gateway.calls }).toEqual({
      idle: null,
      atOnce: { sessionTitle: null },
      then: { sessionTitle: 'Fix upload' },
      calls: ['stop s1', 'stop s2'],
    });
  });
});
