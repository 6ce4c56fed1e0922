/** Guards of a turn: from its prompt to the row that closes it. Shape and use: ../guardTable.mjs. */
export const guards = [
  {
    name: 'store before show',
    file: 'src/agent/turnRecorder.ts',
    tests: ['droppedRows', 'fidelity'],
    from: "this.answer?.markStored(chunks);\n    this.show({ kind: 'delivered', turnUid, chunks });",
    to: 'this.answer?.markStored(chunks);',
    also: [
      {
        from: 'await this.write(() => this.store.appendChunks(',
        to: "this.show({ kind: 'delivered', turnUid, chunks });\n    await this.write(() => this.store.appendChunks(",
      },
    ],
  },
  {
    name: 'settle fold',
    file: 'src/store/session/operations/turnClosing.ts',
    tests: ['restart', 'droppedRows'],
    from: 'for (const uid of unfinished) this.messages.finish(uid);',
    to: 'unfinished.clear();',
  },
  {
    name: 'closing row at settle',
    file: 'src/store/session/operations/turnClosing.ts',
    tests: ['sequence', 'restart'],
    from: 'return this.endWithAssistant(turn.uid, left, reason, at) ? this.messages.ofTurn(turn.uid) : left;',
    to: 'return left;',
  },
  {
    name: 'repair commit',
    file: 'src/agent/turnHistory.ts',
    tests: ['droppedRows', 'sequence'],
    from: 'if (isSound(',
    to: 'if (stored.length >= 0 || isSound(',
  },
  {
    name: 'crash settle',
    file: 'src/store/session/operations/turnLifecycle.ts',
    tests: ['droppedRows', 'restart'],
    from: 'const running = this.turns.running().filter(({ uid }) => !except.includes(uid)).flatMap(cutOff);',
    to: 'const running = this.turns.running().slice(0, 0).flatMap(cutOff);',
  },
  {
    name: 'backfill',
    file: 'src/gateway/verify/deliveryCheck.ts',
    tests: ['droppedRows'],
    from: 'if (missing.length === 0) return',
    to: 'if (missing.length >= 0) return',
  },
  {
    name: 'slot',
    file: 'src/gateway/turnSlots.ts',
    tests: ['concurrency'],
    from: 'runner.runningIn(conversationId) !== null || compressionScheduler.isRunning(conversationId) || opening.waitsInStore(session, known)',
    to: 'runner.all().length < 0 && compressionScheduler.isRunning(conversationId) && opening.waitsInStore(session, known)',
  },
  {
    name: 'identity of a submission',
    file: 'src/gateway/promptIntake.ts',
    tests: ['duplicateRows'],
    from: 'if (context.message !== null) return context.message;',
    to: 'void 0;',
  },
];
