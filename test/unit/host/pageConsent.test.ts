import { expect, test } from 'vitest';
import { type Consent, PageConsent } from '../../../src/host/approvals/pageConsent';
import type { Approval, ApprovalDecision, ApprovalRequest, Mode } from '../../../src/transcript/approval';

const approval = (id: string): Approval => ({
  id,
  sessionId: 's1',
  turnUid: 't',
  messageUid: 'm',
  callId: 'c',
  requestedAt: 1,
  state: { kind: 'pending' },
  request: {
    tool: 'run_command',
    access: { kind: 'fetch', url: 'https://a.example' },
    subject: 'make test',
    reasons: ['command'],
    rules: ['run(make test)', 'run(make lint)'],
    preview: null,
  },
});

/** A page whose person answers `agrees` to whatever the host asks. */
function page(
  agrees: boolean,
  options: { readonly mode?: Mode; readonly pending?: string; readonly request?: Partial<ApprovalRequest> } = {},
) {
  const asked: Consent[] = [];
  const consent = new PageConsent({
    gateway: {
      approvals: {
        pending: async () => (options.pending === undefined ? null : approval(options.pending)),
        mode: async () => options.mode ?? 'ask',
      },
    },
    sessions: {
      approval: async (id) =>
        id === 'unknown' ? null : { ...approval(id), request: { ...approval(id).request, ...options.request } },
    },
    confirm: async (what) => {
      asked.push(what);
      return agrees;
    },
  });
  const decided = (decision: ApprovalDecision, id = 'a1') =>
    consent.decision('chat', id, decision).then(
      () => true,
      () => false,
    );
  return { consent, asked, decided };
}

test('the action that the card offered runs without another question', async () => {
  const { decided, asked } = page(false);
  const offered: readonly ApprovalDecision[] = [
    { kind: 'allow', scope: 'once' },
    { kind: 'deny', reason: null },
    { kind: 'allow', scope: 'session', rules: ['run(make test)'] },
    { kind: 'allow', scope: 'workspace', rules: ['run(make test)', ' run(make lint) '] },
    { kind: 'allow', scope: 'user', rules: ['run(make lint)'] },
  ];
  const done: boolean[] = [];
  for (const decision of offered) done.push(await decided(decision));
  expect([done, asked]).toEqual([[true, true, true, true, true], []]);
});

test.each(['session', 'workspace', 'user'] as const)(
  'rules that the card did not offer need the user: %s',
  async (scope) => {
    const [refusing, agreeing] = [page(false), page(true)];
    const decision: ApprovalDecision = { kind: 'allow', scope, rules: ['run(make test)', 'run(make *)'] };
    expect([
      await refusing.decided(decision),
      await agreeing.decided(decision),
      refusing.asked,
      agreeing.asked,
    ]).toEqual([
      false,
      true,
      [{ kind: 'rules', rules: ['run(make *)'], scope }],
      [{ kind: 'rules', rules: ['run(make *)'], scope }],
    ]);
  },
);

test('a question already open in a session that the page opened needs the user; later ones there do not, nor does a denial', async () => {
  const { consent, decided, asked } = page(false, { pending: 'a1' });
  await consent.opened('s1');
  expect([
    await decided({ kind: 'allow', scope: 'once' }),
    await decided({ kind: 'deny', reason: null }),
    await decided({ kind: 'allow', scope: 'once' }, 'a2'),
    await decided({ kind: 'allow', scope: 'once' }, 'unknown'),
    asked,
  ]).toEqual([false, true, true, true, [{ kind: 'waiting', subject: 'run_command: make test' }]]);
});

test('Edit Automatically needs the user once; other modes do not, nor does staying in it', async () => {
  const [refusing, agreeing, already] = [page(false), page(true), page(false, { mode: 'auto' })];
  const set = ({ consent }: ReturnType<typeof page>, mode: Mode) =>
    consent.mode('chat', 's1', mode).then(
      () => true,
      () => false,
    );
  expect([
    await set(refusing, 'auto'),
    await set(refusing, 'plan'),
    await set(refusing, 'ask'),
    await set(agreeing, 'auto'),
    await set(agreeing, 'auto'),
    await set(already, 'auto'),
  ]).toEqual([false, true, true, true, true, true]);
  expect([refusing.asked.length, agreeing.asked.length, already.asked.length]).toEqual([1, 1, 0]);
});

test('a card that offers Edit Automatically asks nothing further; an edit that is always asked for does not offer it', async () => {
  const edit = { kind: 'edit', paths: [{ path: '/w/a.ts', shown: 'a.ts', isInside: true }] } as const;
  const chosen = async (request: Partial<ApprovalRequest>): Promise<readonly unknown[]> => {
    const { decided, asked } = page(false, { request });
    return [await decided({ kind: 'allow', scope: 'once', mode: 'auto' }), asked.length];
  };
  expect([
    await chosen({ access: { kind: 'plan' }, reasons: ['plan'] }),
    await chosen({ access: edit, reasons: ['change'] }),
    await chosen({ access: edit, reasons: ['sensitive'] }),
  ]).toEqual([
    [true, 0],
    [true, 0],
    [false, 1],
  ]);
});

test('a decision that switches to Edit Automatically needs the user like the mode menu; Ask Before Edits does not', async () => {
  const [refusing, agreeing] = [page(false), page(true)];
  const chooses = (mode: Mode): ApprovalDecision => ({ kind: 'allow', scope: 'once', mode });
  expect([
    await refusing.decided(chooses('auto')),
    await refusing.decided(chooses('ask')),
    await agreeing.decided(chooses('auto')),
    await agreeing.decided(chooses('auto')),
    refusing.asked,
    agreeing.asked,
  ]).toEqual([false, true, true, true, [{ kind: 'auto' }], [{ kind: 'auto' }]]);
});
