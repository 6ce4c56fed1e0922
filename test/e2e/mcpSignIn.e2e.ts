import { afterAll, beforeAll, expect, test } from 'vitest';
import { SignInServer } from '../support/mcp/signInServer';
import { reply } from '../support/modelServer';
import { waitFor, type Workbench, write } from '../support/vscode';
import type { ChatPanel } from './chatPanel';
import { ApprovalCard } from './workPanel';
import { picturesIn, scriptedVscode } from './scriptedVscode';

const { server, open, refused } = await scriptedVscode();
const picture = picturesIn('mcp-sign-in');
let signIn: SignInServer;
let workbench: Workbench;
let panel: ChatPanel;

beforeAll(async () => {
  signIn = await SignInServer.start();
  panel = await open();
  ({ workbench } = panel);
});
afterAll(() => signIn.close());

/** Takes the address of the sign-in page from the box beside the browser, consents there, and pastes the address that it
 *  ends at. The browser of these tests reaches this machine only through a proxy that takes addresses apart. */
async function consent(): Promise<void> {
  const end = await signIn.browse(await pageOf());
  await write(signInBox().locator('input.input'), end);
  await signInBox().locator('input.input').press('Enter');
}

const signInBox = () =>
  workbench.page.locator('.quick-input-widget', { hasText: 'Signing in to the MCP server “signed”' });

/** The address of the sign-in page that the box has. `not`: another one than this. */
async function pageOf(not = ''): Promise<string> {
  return waitFor('the address', async () => {
    await workbench.page.evaluate(() => navigator.clipboard.writeText(''));
    await signInBox().getByRole('button', { name: 'Copy the Address of the Sign-In Page' }).click();
    const text = await workbench.page.evaluate(() => navigator.clipboard.readText());
    const page = text.replace(/^https:\/\/127\.0\.0\.1:9/, signIn.origin);
    return page.startsWith(signIn.origin) && page !== not ? page : undefined;
  });
}

/** Agrees to sign in, and consents. */
async function agree(): Promise<void> {
  const dialog = workbench.dialog();
  await dialog.getByText(/The MCP server “signed” at 127\.0\.0\.1:\d+ wants you to sign in/).waitFor();
  await picture(panel, 'wants-sign-in');
  await dialog.getByRole('button', { name: 'Sign In' }).click();
  await consent();
}

async function whoami(prompt: string): Promise<void> {
  server.script(reply().calls('mcp_signed_whoami', {}), reply().says(`${prompt}: done.`));
  await panel.send(prompt);
  await (await ApprovalCard.asks(panel, 'Use whoami from the MCP server signed?')).press('Allow Once');
}

const outcome = (): string | undefined => server.requests.at(-1)?.outline.at(-1);
const refreshes = (): number => signIn.log.filter((each) => each === 'refresh').length;

test('a server that wants a sign-in is added with the address that its page ends at, and its token is refreshed unasked', async () => {
  await workbench.runAndChoose('Hermes: Manage MCP Servers', 'Add Server…');
  await workbench.answerInput('Command that starts the server', signIn.url);
  await workbench.answerInput('A name for this server', 'signed');
  await workbench.quickInputRow('All Folders').click();
  await agree();
  await workbench.waitForToast(/The MCP server “signed” works and was saved\. It offers 1 tool\./);
  await whoami('First');
  await panel.answered('First: done.');
  const first = [outcome(), refreshes()];
  signIn.expire();
  await whoami('Second');
  await panel.answered('Second: done.');
  expect([first, outcome(), refreshes()]).toEqual([
    [expect.stringContaining('signed in for tools'), 0],
    expect.stringContaining('signed in for tools'),
    1,
  ]);
});

test('in the middle of a turn it is asked for once: denied, the call did not run; granted, it goes on', async () => {
  signIn.forget();
  signIn.consent = 'deny';
  await whoami('Third');
  await agree();
  await panel.answered('Third: done.');
  const denied = outcome();
  const ran = signIn.calls.length;
  signIn.consent = 'grant';
  await workbench.runAndChoose('Hermes: Manage MCP Servers', 'signed');
  await workbench.quickInputRow('Sign In').click();
  await consent();
  await whoami('Fourth');
  await panel.answered('Fourth: done.');
  expect([denied, ran, outcome(), signIn.calls.length]).toEqual([
    expect.stringContaining('did not run'),
    2,
    expect.stringContaining('signed in for tools'),
    3,
  ]);
});

test('a window that is loaded again, and a server that is restarted, need no new sign-in', async () => {
  panel = await panel.reload();
  ({ workbench } = panel);
  const before = refreshes();
  signIn.expire();
  await whoami('Fifth');
  await panel.answered('Fifth: done.');
  await workbench.runAndChoose('Hermes: Manage MCP Servers', 'signed');
  await workbench.quickInputRow('Restart').click();
  await whoami('Sixth');
  await panel.answered('Sixth: done.');
  expect([outcome(), refreshes() - before, signIn.calls.length, refused(), workbench.errors()]).toEqual([
    expect.stringContaining('signed in for tools'),
    1,
    5,
    [],
    [],
  ]);
});

test('where the page refuses the address to come back to, this machine is the other way', async () => {
  signIn.forget();
  // The browser of these tests must not come back before the test does.
  signIn.page = 'https://127.0.0.1:9/authorize';
  await whoami('Seventh');
  const dialog = workbench.dialog();
  await dialog.getByText(/The MCP server “signed” at 127\.0\.0\.1:\d+ wants you to sign in/).waitFor();
  await dialog.getByRole('button', { name: 'Sign In' }).click();
  const page = await pageOf();
  const wrong = new URL(page);
  wrong.searchParams.set('redirect_uri', 'https://evil.example/');
  const shown = await signIn.browse(wrong.href);
  await signInBox().getByRole('button', { name: 'The Page Shows an Error: Try Another Way' }).click();
  const other = await pageOf(page);
  const end = await signIn.browse(other);
  // The address goes through the browser's proxy; nobody but the browser can use that.
  const arrived = await (await fetch(end.replace(/^.*\/(\d+)(?=\/mcp-sign-in)/, 'http://127.0.0.1:$1'))).text();
  await panel.answered('Seventh: done.');
  expect([shown, new URL(end).pathname.endsWith('/mcp-sign-in'), arrived, outcome(), refused()]).toEqual([
    expect.stringContaining('unknown redirect https://evil.example/'),
    true,
    'You can close this page and go back to your editor.',
    expect.stringContaining('signed in for tools'),
    [],
  ]);
});
