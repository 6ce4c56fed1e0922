// @vitest-environment happy-dom
import { afterEach, expect, test } from 'vitest';
import { act } from 'preact/test-utils';
import { type CrashReport, crashReport } from '../../../../../src/webview/chat/verify/deliveryReporter';
import { afternoon, answer, prompt, settledTurn, shownSession } from '../../../../support/builders/viewMessages';
import { ChatPage } from '../chatPage';

afterEach(() => {
  crashReport.value = null;
});

/** What stands under the last answer of a turn that ended with the extension process. */
async function under(told: Omit<CrashReport, 'dismiss'> | null): Promise<readonly (string | null | undefined)[]> {
  const page = new ChatPage();
  const turn = settledTurn('turn1', 'u1', { outcome: 'interrupted', stopReason: 'crash' });
  await page.bootstrap(
    shownSession({
      messages: [prompt({ uid: 'u1', position: 1 }, 'go'), answer({ uid: 'a1', position: 2 }, ['some words'])],
      turns: [turn],
    }),
  );
  await act(() => {
    crashReport.value = (asked) =>
      asked.uid === 'turn1' && told !== null ? { ...told, dismiss: () => undefined } : null;
  });
  const notice = document.querySelector('.notice');
  const seen = [
    notice?.getAttribute('role'),
    notice?.querySelector('span:not([aria-hidden])')?.textContent,
    ...[...(notice?.querySelectorAll('button') ?? [])].map(({ textContent }) => textContent),
  ];
  page.close();
  return seen;
}

test('a power loss is reported with both numbers, and disappears once read or once the answer continues', async () => {
  expect(
    (await under({ at: afternoon, shown: 1284, onDisk: 1284, stored: 1290 })).map((text) =>
      text?.replace(/Crashed at .*?\. /, 'Crashed. '),
    ),
  ).toEqual(['status', 'Crashed. 1,284 of 1,284 characters shown are saved.', 'Continue', 'Dismiss']);
});

test('lost text is reported loudly, after any crash', async () => {
  expect(await under({ at: null, shown: 1284, onDisk: 0, stored: 1200 })).toEqual([
    'alert',
    'Interrupted: the extension host stopped. 1,284 characters were shown, but 1,200 are stored.',
    'Continue',
    'Open Transcript',
    'Show Log',
  ]);
});

test('without a delivery report, the usual words appear', async () => {
  expect((await under(null))[1]).toContain('Everything shown is saved.');
});
