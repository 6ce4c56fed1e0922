/** Guards of an answer on its way from the service to the recorder. Shape and use: ../guardTable.mjs. */
export const guards = [
  {
    name: 'fencing of attempts',
    file: 'src/models/http/requestRunner.ts',
    tests: ['streams'],
    from: 'if (!open) return;\n        if (part.kind',
    to: 'if (part.kind',
  },
  {
    name: 'learned refusals',
    file: 'src/models/http/requestRunner.ts',
    tests: ['streams'],
    from: 'refusals.fitting(this.request, settings.modelId)',
    to: '(refusals.fitting(this.request, settings.modelId), this.request)',
  },
  {
    name: 'fencing behind a stop',
    file: 'src/agent/askUntilAnswered.ts',
    tests: ['streams'],
    from: 'if (event === undefined || signal.aborted) break;',
    to: 'if (event === undefined) break;',
    also: [
      { from: 'if (!signal.aborted) intake.finish(', to: 'intake.finish(' },
      { from: 'if (!signal.aborted) intake.endRequest();', to: 'intake.endRequest();' },
    ],
  },
  {
    name: 'hold-back of repeats',
    file: 'src/agent/repeatGate.ts',
    tests: ['streams'],
    from: 'if (this.isOpen) return { text, joins: true };',
    to: "if (this.isOpen || text !== '') return { text, joins: true };",
  },
  {
    name: 'tags taken out before the store',
    file: 'src/agent/answerIntake.ts',
    tests: ['streams'],
    from: 'this.passAll(this.filter.take(apart + text));',
    to: "this.recorder.deliver('text', apart + text);",
  },
];
