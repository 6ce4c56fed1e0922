/** Guards of calls that the person has to allow. Shape and use: ../guardTable.mjs. */
export const guards = [
  {
    name: 'allowed before it runs',
    file: 'src/agent/callRunner.ts',
    tests: ['approvals'],
    from: 'approval = await this.askPerson(part, judged.request, messageUid);\n          break;',
    to: 'return null;',
  },
  {
    name: 'decision on disk before it is acted on',
    file: 'src/gateway/approvals.ts',
    tests: ['approvals'],
    from: 'const { approval, turn } = await store.decideApproval(id, decision, clock.now());',
    to: "const { approval, turn } = { approval: { ...(await store.approval(id)), state: { kind: 'decided', decision, decidedAt: clock.now() } }, turn: { state: 'running' } };",
  },
  {
    name: 'a turn that waits is left, not ended',
    file: 'src/gateway/turnRunner.ts',
    tests: ['approvals'],
    from: 'if (run.subAgent !== undefined || !run.decisions.leave()) run.controller.abort',
    to: 'run.controller.abort',
  },
  {
    name: 'the first decision stands',
    file: 'src/store/session/tables/approvalTable.ts',
    tests: ['approvals', 'test/unit/store/sessionDbApprovals'],
    from: "if (state.kind === 'pending') {",
    to: "if (state.kind !== 'expired') {",
  },
];
