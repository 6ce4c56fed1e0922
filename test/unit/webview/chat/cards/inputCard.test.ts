// @vitest-environment happy-dom
import { expect, test } from 'vitest';
import type { ApprovalRequest, AskedInput } from '../../../../../src/transcript/approval';
import {
  answer,
  call,
  pendingApproval,
  prompt,
  runningTurn,
  shownSession,
  waitingTurn,
} from '../../../../support/builders/viewMessages';
import { openChat, type ChatPage } from '../chatPage';
import { inputRequest, shippingForm } from '../../../../support/webviewPreview/inputStates';

const messages = [
  prompt({ uid: 'u1', position: 1 }, 'Order it.'),
  answer({ uid: 'a1', position: 2 }, [call('c1', 'mcp_shop_order', {})]),
];

async function asked(input: AskedInput): Promise<ChatPage> {
  const page = await openChat(shownSession({ messages, openTurn: runningTurn() }));
  page.composer.focus();
  const request: ApprovalRequest = inputRequest(input);
  const approval = pendingApproval(request, { callId: 'c1', id: 'ap' });
  await page.event({ kind: 'approvalRequested', turn: waitingTurn(), approval });
  await page.settle();
  return page;
}

const card = (): HTMLFormElement => {
  const form = document.querySelector<HTMLFormElement>('form.input-card');
  if (form === null) throw new Error('Nothing is asked');
  return form;
};

test('a form has a field of each kind with what the server proposes, and sends what is in it', async () => {
  const page = await asked(shippingForm);
  const [street] = card().querySelectorAll<HTMLInputElement>('input.field');
  if (street === undefined) throw new Error('no field');
  street.value = 'Main Street 1';
  street.dispatchEvent(new Event('input', { bubbles: true }));
  // As in the editor, whose pages cannot submit forms.
  document.addEventListener('submit', (event) => event.stopImmediatePropagation(), { capture: true, once: true });
  card().querySelector('button')?.click();
  await page.settle();
  expect(page.sent('decideApproval')).toEqual([
    {
      approvalId: 'ap',
      decision: {
        kind: 'allow',
        scope: 'once',
        answer: { street: 'Main Street 1', count: 2, speed: 'express', extras: ['gift'], news: false },
      },
    },
  ]);
});

test('Enter in a field sends the form, once its required fields are filled in', async () => {
  const page = await asked(shippingForm);
  const [street] = card().querySelectorAll<HTMLInputElement>('input.field');
  const enter = async (value: string): Promise<number> => {
    if (street !== undefined) street.value = value;
    street?.dispatchEvent(new Event('input', { bubbles: true }));
    street?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    await page.settle();
    return page.sent('decideApproval').length;
  };
  expect([await enter(''), await enter('Main Street 1')]).toEqual([0, 1]);
});

test('no habitual key press sends it, and Decline says no', async () => {
  const page = await asked({ kind: 'url', url: 'https://pay.example/order/17' });
  page.composer.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }));
  await page.settle();
  const before = page.sent('decideApproval');
  const buttons = [...card().querySelectorAll('button')];
  buttons.find(({ textContent }) => textContent === 'Decline')?.click();
  await page.settle();
  expect([before, buttons.map(({ textContent }) => textContent), card === null, page.sent('decideApproval')]).toEqual([
    [],
    ['Open Page', 'Decline'],
    false,
    [{ approvalId: 'ap', decision: { kind: 'deny', reason: null } }],
  ]);
});
