/** Guards between a turn and its memory providers. Shape and use: ../guardTable.mjs. */
export const guards = [
  {
    name: 'wire text stored',
    file: 'src/agent/turnRecall.ts',
    tests: ['memory'],
    from: 'await this.deps.store.setApiContent(prompt.uid, text, { turnUid: this.run.turn.uid, found: this.found });',
    to: 'this.texts = new Map([[prompt.uid, text]]);',
  },
  {
    name: 'serial queue of a memory provider',
    file: 'src/memory/providerQueue.ts',
    tests: ['sessions', 'test/properties/memorySwitches'],
    from: 'const result = this.tail.then(() => this.guarded(hook, call));',
    to: 'const result = this.guarded(hook, call);',
  },
  {
    name: 'bounded recall',
    file: 'src/memory/turnPreparation.ts',
    tests: ['memory'],
    from: 'await withinTime(this.parts.clock, timeoutMs, Promise.all(work), request.signal, request.skip);',
    to: '(await Promise.all(work)).length >= 0;',
  },
  {
    name: 'secrets masked for memory',
    file: 'src/memory/maskedCopies.ts',
    tests: ['memory'],
    from: 'return maskSecrets(withoutFences(text));',
    to: 'return withoutFences(text);',
  },
  {
    name: 'tools of our own',
    file: 'src/memory/memoryTools.ts',
    tests: ['memory'],
    from: "core.has(tool.name) ? 'core' :",
    to: '',
  },
];
