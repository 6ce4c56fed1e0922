import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { protocolVersion } from '../../../../src/protocol/envelope';
import { connectToHost } from '../../../../src/webview/rpc';

const at = v.object({ at: v.string() });
const question = v.object({ question: v.string() });

interface Talk {
  readonly commands: { readonly look: typeof at };
  readonly requests: { readonly ask: typeof question };
  readonly results: { readonly ask: { readonly answer: number } };
  readonly notifications: { readonly news: { readonly text: string } };
}

function line() {
  const posted: unknown[] = [];
  const page = new EventTarget();
  const host = connectToHost<Talk>(
    { postMessage: (message) => posted.push(message), getState: () => undefined, setState: () => undefined },
    page,
  );
  const say = (data: unknown): void => void page.dispatchEvent(new MessageEvent('message', { data }));
  return { host, posted, say };
}

describe('the connection to the host', () => {
  test('sends a command that expects no answer', () => {
    const { host, posted } = line();
    host.send('look', v.parse(at, { at: 'this' }));
    const asked = v.parse(question, { question: 'q' });
    void host.request('ask', asked);
    expect(posted).toEqual([
      { v: protocolVersion, kind: 'command', name: 'look', payload: { at: 'this' } },
      { v: protocolVersion, kind: 'request', id: 1, name: 'ask', payload: asked },
    ]);
  });

  test('settles each request with its own answer, in any order of answers', async () => {
    const { host, posted, say } = line();
    const both = [host.request('ask', { question: 'a' }), host.request('ask', { question: 'b' })];
    say({ v: protocolVersion, kind: 'response', id: 2, ok: true, result: { answer: 2 } });
    say({ v: protocolVersion, kind: 'response', id: 1, ok: true, result: { answer: 1 } });
    expect([await Promise.all(both), posted]).toEqual([
      [{ answer: 1 }, { answer: 2 }],
      [
        { v: protocolVersion, kind: 'request', id: 1, name: 'ask', payload: { question: 'a' } },
        { v: protocolVersion, kind: 'request', id: 2, name: 'ask', payload: { question: 'b' } },
      ],
    ]);
  });

  test('rejects a refused request with the sentence and its cause', async () => {
    const { host, say } = line();
    const asked = host.request('ask', { question: 'a' });
    say({ v: protocolVersion, kind: 'response', id: 1, ok: false, error: { sentence: 'Not now.', cause: 'busy' } });
    await expect(asked).rejects.toMatchObject({ message: 'Not now.', causeClass: 'busy' });
  });

  test('receives only notifications of its own version', () => {
    const { host, say } = line();
    const heard: string[] = [];
    host.onNotification(({ payload }) => heard.push(payload.text));
    for (const data of [
      null,
      'x',
      { kind: 'notification', name: 'news', payload: { text: 'no version' } },
      { v: protocolVersion + 1, kind: 'notification', name: 'news', payload: { text: 'later' } },
    ])
      say(data);
    say({ v: protocolVersion, kind: 'notification', name: 'news', payload: { text: 'ours' } });
    expect(heard).toEqual(['ours']);
  });
});
