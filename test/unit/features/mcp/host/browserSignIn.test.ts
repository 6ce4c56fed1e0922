import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BrowserSignIn } from '../../../../../src/features/mcp/host/browserSignIn';

const editor = vi.hoisted(() => ({
  opened: new Array<string>(),
  handle: (_uri: { readonly path: string; readonly query: string }): void => undefined,
  cancel: (): void => undefined,
  box: null as null | { value: string; accept: () => void; press: (index: number) => void; isShown: boolean },
}));

vi.mock('vscode', () => {
  const uri = (text: string) => ({ toString: () => text });
  return {
    // As the editor: an address that comes as a `Uri` is decoded before it is opened.
    Uri: { parse: (text: string) => uri(decodeURIComponent(text)) },
    ThemeIcon: class {},
    ProgressLocation: { Notification: 15 },
    env: {
      uriScheme: 'vscode',
      asExternalUri: async (own: object) => uri(`${String(own)}?windowId=1`),
      openExternal: async (page: object) => (editor.opened.push(String(page)), true),
      clipboard: { writeText: async () => undefined },
    },
    window: {
      registerUriHandler: ({ handleUri }: { handleUri: typeof editor.handle }) => (
        (editor.handle = handleUri),
        { dispose: () => undefined }
      ),
      withProgress: (_options: object, work: (progress: object, token: object) => Promise<unknown>) =>
        work(
          {},
          { onCancellationRequested: (cancel: () => void) => ((editor.cancel = cancel), { dispose: () => undefined }) },
        ),
      createInputBox: () => {
        let [accept, press] = [(): void => undefined, (_button: unknown): void => undefined];
        const box = {
          value: '',
          buttons: new Array<object>(),
          onDidAccept: (listener: () => void) => (accept = listener),
          onDidTriggerButton: (listener: (button: unknown) => void) => (press = listener),
          show: () => undefined,
          dispose: () => (editor.box = null),
        };
        editor.box = Object.assign(box, {
          isShown: true,
          accept: () => accept(),
          press: (index: number) => press(box.buttons[index]),
        });
        return box;
      },
    },
  };
});

let signIn: BrowserSignIn;
beforeEach(() => {
  signIn = new BrowserSignIn('hermes.test');
  editor.opened.length = 0;
});
afterEach(() => signIn.dispose());

const page = 'https://as.example/authorize?x=a%26b%23c%2Bd';

async function waiting(way: 0 | 1, signal = new AbortController().signal) {
  const redirect = await signIn.waysFor('web').redirect(way);
  if (redirect === null) throw new Error('no such way');
  const answer = redirect.open(page, 'mine', signal).finally(() => redirect.dispose());
  return { address: redirect.address, answer };
}
const codeOf = (answer: string | null): string | null => new URL(answer ?? '').searchParams.get('code');

it('comes back through the editor’s address, and takes only what belongs to it', async () => {
  const { address, answer } = await waiting(0);
  editor.handle({ path: '/mcp-sign-in', query: 'code=foreign&state=theirs' });
  editor.handle({ path: '/other', query: 'code=foreign&state=mine' });
  // The editor has decoded the query.
  editor.handle({ path: '/mcp-sign-in', query: 'windowId=1&code=a+b&c#/%d==&state=mine' });
  expect([address, editor.opened, codeOf(await answer), editor.box]).toEqual([
    'vscode://hermes.test/mcp-sign-in?windowId=1',
    [page],
    'a+b&c#/%d==',
    null,
  ]);
});

it('comes back through this machine', async () => {
  const { address, answer } = await waiting(1);
  const at = address.replace('?windowId=1', '');
  const foreign = await fetch(`${at}?code=foreign&state=theirs`);
  const own = await fetch(`${at}?code=a%2Bb&state=mine`);
  expect([foreign.status, own.status, codeOf(await answer)]).toEqual([200, 200, 'a+b']);
});

it('takes a pasted address, another way, and a cancel', async () => {
  const pasted = await waiting(0);
  Object.assign(editor.box ?? {}, { value: ' http://127.0.0.1/?code=x&state=mine ' });
  editor.box?.accept();
  const other = await waiting(0);
  editor.box?.press(1);
  const canceled = signIn.cancellable('web', new AbortController().signal, async (stopped) => {
    const { answer } = await waiting(0, stopped);
    editor.cancel();
    await answer;
    return { kind: 'signedIn' };
  });
  const stop = new AbortController();
  const stopped = await waiting(0, stop.signal);
  stop.abort(new Error('closed'));
  await expect(stopped.answer).rejects.toThrow('closed');
  expect([await pasted.answer, await other.answer, await canceled]).toEqual([
    'http://127.0.0.1/?code=x&state=mine',
    'anotherWay',
    { kind: 'canceled' },
  ]);
});

it('has no third way', async () => {
  expect(await signIn.waysFor('web').redirect(2)).toBeNull();
});
