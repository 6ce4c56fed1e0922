import type { ApprovalPolicy } from '../../../src/tools/approval/approvalPolicy';

/** The rule that allows everything from now on. */
export const everything = 'everything';

/** Asks, unless everything was allowed for the session. */
export const simulatedPolicy: ApprovalPolicy = {
  judge: ({ tool, asked: { access }, sessionRules }) =>
    sessionRules.includes(everything)
      ? { kind: 'allow' }
      : { kind: 'ask', request: { tool, access, subject: tool, reasons: [], rules: [everything], preview: null } },
  remember: () => Promise.resolve(),
};
