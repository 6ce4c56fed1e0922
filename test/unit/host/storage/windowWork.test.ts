import { expect, it } from 'vitest';
import { WindowWork } from '../../../../src/host/storage/windowWork';
import { ManualClock } from '../../../support/manualClock';
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
  gateway.compression.ended = () => new Promise((resolve) => (compressed = resolve));
  const settling = new WindowWork(gateway, async () => undefined, new ManualClock()).settle();
  const before = [...gateway.calls];
  compressed();
  await settling;
  expect({ before, calls: gateway.calls }).toEqual({ before: [], calls: ['stop s1', 'stop s2'] });
});

it.each([
  ['responds', async () => [], false],
  ['responds with an error', () => Promise.reject(new Error('disposed')), false],
  ['does not respond', () => new Promise(() => undefined), true],
])('counts a page that %s as left or not, and never one with a running turn', async (_title, askPage, isLeft) => {
  const [gateway, clock] = [new ScriptedGateway(session('s1')), new ManualClock()];
  gateway.compression.ended = () => Promise.resolve();
  const work = new WindowWork(gateway, askPage, clock);
  const asked = work.isLeft();
  await clock.advance(0);
  await clock.advance(4000);
  const idle = await asked;
  gateway.run('s1');
  expect({ idle, running: await work.isLeft() }).toEqual({ idle: isLeft, running: false });
});
