/** Guards of calls that the person has to allow. Shape and use: ../guardTable.mjs. */
export const guards = [
  {
    name: 'allowed before it runs',
    file: 'src/agent/callRunner.ts',
    tests: ['approvals'],
    from: 'approval = await this.askPerson(part, await this.withEditsAfter(judged.request, later), messageUid);\n          decided.set(part.callId, approval);\n          break;',
    to: 'return null;',
  },
  {
    name: 'decision on disk before it is acted on',
    file: 'src/gateway/approvals.ts',
    tests: ['approvals'],
    from: 'const { approval, turn } = await store.decideApproval(id, decision, clock.now(), holder);',
    to: "const { approval, turn } = { approval: { ...(await store.approval(id)), state: { kind: 'decided', decision, decidedAt: clock.now() } }, turn: { state: 'running' } };",
  },
  {
    name: 'a mode with the decision that chooses it',
    file: 'src/store/session/tables/approvalTable.ts',
    tests: ['test/unit/gateway/decisionsForAll', 'test/unit/store/sessionDbApprovals'],
    from: 'this.setMode(modeOf ?? sessionId, made.mode);',
    to: 'void modeOf;',
  },
  {
    name: 'only plain edits are allowed with the others',
    file: 'src/agent/waitingEdits.ts',
    tests: ['test/unit/gateway/decisionsForAll'],
    from: 'if (!isFirst || !isPlainEdit(judged) || preview === null) continue;',
    to: 'if (!isFirst || preview === null) continue;',
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
