import { expect, it } from 'vitest';
import { WindowWork } from '../../../../src/host/storage/windowWork';
import { ScriptedGateway, session } from '../scriptedGateway';

it('waits for compressions and then stops every turn that awaits no approval, for a window that takes over', async () => {
  const gateway = new ScriptedGateway(session('s1'));
  gateway.run('s1');
  gateway.running = [
    ...gateway.running,
    { sessionId: 's2', turnUid: 't2', activity: null, isWaiting: false },
    { sessionId: 's3', turnUid: 't3', activity: null, isWaiting: true },
  ];
  let compressed: () => void = () => undefined;
  gateway.compressionsEnd = () => new Promise((resolve) => (compressed = resolve));
  const settling = new WindowWork(gateway).settle();
  const before = [...gateway.calls];
  compressed();
  await settling;
  expect({ before, calls: gateway.calls }).toEqual({ before: [], calls: ['stop s1', 'stop s2'] });
});
