import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../../src/gateway/gateway';
import { ViewEndpoint } from '../../../../src/host/webviews/viewEndpoint';
import { protocolVersion } from '../../../../src/protocol/envelope';
import { StoreError } from '../../../../src/store/storeError';
import { RecordingLog } from '../recordingLog';
import { RecordingPort, settle } from '../recordingPort';

const commands = { note: v.object({ text: v.string() }), explode: v.object({}) };
const requests = { double: v.object({ value: v.number() }), fail: v.object({ how: v.string() }) };
interface Results {
  readonly double: number;
  readonly fail: null;
}
interface Notifications {
  readonly changed: { readonly count: number };
}

function endpoint() {
  const port = new RecordingPort();
  const log = new RecordingLog();
  const heard: string[] = [];
  const view = new ViewEndpoint<typeof commands, typeof requests, Results, Notifications>(
    port,
    { commands, requests },
    {
      commands: {
        note: ({ text }) => void heard.push(text),
        explode: () => Promise.reject(new Error('boom')),
      },
      requests: {
        double: ({ value }) => Promise.resolve(value * 2),
        fail: ({ how }) => {
          if (how === 'store')
            return Promise.reject(
              new StoreError('full', 'The disk is full. Free some space, then try again.', 'ENOSPC'),
            );
          if (how === 'gateway') return Promise.reject(new GatewayError('noModel', 'No model is chosen yet.'));
          throw new TypeError('x is undefined.');
        },
      },
    },
    log,
  );
  return { port, log, heard, view };
}

describe('the host end of a view', () => {
  it('runs commands, answers requests and notifies the view', async () => {
    const { port, heard, view } = endpoint();
    port.command('note', { text: 'hello' });
    port.request(7, 'double', { value: 21 });
    view.notify('changed', { count: 3 });
    await settle();
    expect({ heard, posted: port.posted }).toEqual({
      heard: ['hello'],
      posted: [
        { v: protocolVersion, kind: 'notification', name: 'changed', payload: { count: 3 } },
        { v: protocolVersion, kind: 'response', id: 7, ok: true, result: 42 },
      ],
    });
  });

  it('rejects every message that does not fit its schema', async () => {
    const { port, heard, log } = endpoint();
    port.receive('note');
    port.receive({ v: protocolVersion + 1, kind: 'command', name: 'note', payload: { text: 'old page' } });
    port.command('note', { text: 7 });
    port.command('toString');
    port.command('constructor', {});
    port.request(1, 'double', { value: '21' });
    port.request(2, 'hasOwnProperty');
    await settle();
    expect(heard).toEqual([]);
    expect(port.responses).toEqual([
      {
        v: protocolVersion,
        kind: 'response',
        id: 1,
        ok: false,
        error: { cause: 'invalid', sentence: 'The view sent a request that couldn’t be read. Reload the window.' },
      },
      {
        v: protocolVersion,
        kind: 'response',
        id: 2,
        ok: false,
        error: {
          cause: 'invalid',
          sentence: 'The view asked for something unknown (“hasOwnProperty”). Reload the window.',
        },
      },
    ]);
    expect(log.lines).toHaveLength(6);
  });

  it('answers a failed request with its sentence and cause, and a defect plainly', async () => {
    const { port, log } = endpoint();
    port.request(1, 'fail', { how: 'store' });
    port.request(2, 'fail', { how: 'gateway' });
    await settle();
    port.request(3, 'fail', { how: 'defect' });
    port.command('explode');
    await settle();
    expect(
      port.responses.map((response) => (response.kind === 'response' && !response.ok ? response.error : response)),
    ).toEqual([
      { cause: 'full', sentence: 'The disk is full. Free some space, then try again.' },
      { cause: 'noModel', sentence: 'No model is chosen yet.' },
      {
        cause: 'unknown',
        sentence: 'Something went wrong: x is undefined. Everything shown is saved. See the log for details.',
      },
    ]);
    expect(log.lines.filter((line) => line.startsWith('error'))).toEqual([
      'error: fail failed',
      'error: explode failed',
    ]);
  });

  it('sends and receives nothing after it was disposed', async () => {
    const { port, heard, view } = endpoint();
    view.dispose();
    port.command('note', { text: 'late' });
    view.notify('changed', { count: 1 });
    await settle();
    expect({ heard, posted: port.posted }).toEqual({ heard: [], posted: [] });
  });
});
