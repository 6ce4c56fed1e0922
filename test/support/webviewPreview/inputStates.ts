import type { ApprovalRequest, AskedInput } from '../../../src/transcript/approval';
import { answer, call, pendingApproval, prompt, shownSession, waitingTurn } from '../builders/viewMessages';
import { chat, type PreviewState } from './previewState';

/** What an MCP server asks for in the middle of a call, for the preview. */
export const shippingForm: AskedInput = {
  kind: 'form',
  fields: [
    { name: 'street', title: 'Street and number', description: null, isRequired: true, value: { kind: 'text' } },
    {
      name: 'count',
      title: 'How many',
      description: 'At most ten in one order.',
      isRequired: true,
      value: { kind: 'number', isWhole: true, default: 2 },
    },
    {
      name: 'speed',
      title: 'Shipping',
      description: null,
      isRequired: false,
      value: {
        kind: 'choice',
        isMany: false,
        options: [
          { value: 'normal', label: 'Normal' },
          { value: 'express', label: 'Express, the next working day before noon' },
        ],
        default: ['express'],
      },
    },
    {
      name: 'extras',
      title: 'Extras',
      description: null,
      isRequired: false,
      value: {
        kind: 'choice',
        isMany: true,
        options: [
          { value: 'gift', label: 'Gift wrapping' },
          { value: 'card', label: 'Greeting card' },
        ],
        default: ['gift'],
      },
    },
    { name: 'news', title: 'Send me news', description: null, isRequired: false, value: { kind: 'yesNo' } },
  ],
};

export const inputRequest = (asked: AskedInput): ApprovalRequest => ({
  tool: 'mcp_shop_order',
  access: { kind: 'input', server: 'shop', asked },
  subject: asked.kind === 'form' ? 'Where should the order go?' : 'Please pay the order on our page.',
  reasons: [],
  rules: [],
  preview: null,
});

const inSession = (asked: AskedInput) => {
  const approval = pendingApproval(inputRequest(asked), { callId: 'c1', id: 'ap' });
  const messages = [
    prompt({ uid: 'u1', position: 1 }, 'Order two keyboards for the new office.'),
    answer({ uid: 'a1', position: 2 }, [call('c1', 'mcp_shop_order', { article: 'keyboard' })]),
  ];
  return shownSession({ messages, openTurn: waitingTurn(), approval });
};

export function inputStates(): Record<string, PreviewState> {
  return {
    'input-form': chat(inSession(shippingForm)),
    'input-page': chat(inSession({ kind: 'url', url: 'https://pay.example/order/17?from=hermes' })),
  };
}
