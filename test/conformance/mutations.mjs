// Switches off each guard of a turn in a copy of the tree and shows which tests (of the conformance cases, where no path is named) fail without it:
//   node test/conformance/mutations.mjs [name of a guard …]
// Prints one table row per guard. Exits with 1 when a guard can be switched off and no test fails.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const guards = [
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
    file: 'src/store/session/turnClosing.ts',
    tests: ['restart', 'droppedRows'],
    from: 'for (const uid of unfinished) this.messages.finish(uid);',
    to: 'unfinished.clear();',
  },
  {
    name: 'closing row at settle',
    file: 'src/store/session/turnClosing.ts',
    tests: ['sequence', 'restart'],
    from: 'this.endWithAssistant(turn.uid, changed ? this.messages.ofTurn(turn.uid) : rows, reason, at);',
    to: 'void changed;',
  },
  {
    name: 'repair commit',
    file: 'src/agent/repairedHistory.ts',
    tests: ['droppedRows', 'sequence'],
    from: 'if (isSound(',
    to: 'if (stored.length >= 0 || isSound(',
  },
  {
    name: 'fencing of attempts',
    file: 'src/models/requestRunner.ts',
    tests: ['streams'],
    from: 'if (!open) return;\n        if (part.kind',
    to: 'if (part.kind',
  },
  {
    name: 'learned refusals',
    file: 'src/models/requestRunner.ts',
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
    also: [{ from: 'if (!signal.aborted) intake.finish();', to: 'intake.finish();' }],
  },
  {
    name: 'hold-back of repeats',
    file: 'src/agent/repeatGate.ts',
    tests: ['streams'],
    from: 'if (this.isOpen) return text;',
    to: "if (this.isOpen || text !== '') return text;",
  },
  {
    name: 'spill',
    file: 'src/store/spill/spillingStore.ts',
    tests: ['spill', 'spillOnDisk'],
    from: 'if (spill === null) throw cause;',
    to: 'throw cause;',
  },
  {
    name: 'file in its place',
    file: 'src/store/engine/sqlJsDatabase.ts',
    tests: ['spillOnDisk'],
    from: 'if (role === null) return;',
    to: 'return;',
  },
  {
    name: 'fold before crash settle',
    file: 'src/store/worker/openedStore.ts',
    tests: ['spillOnDisk'],
    from: 'foldFoundSpills(engine.fileSystem, sessions, place.folder, place.spills);',
    to: '[];',
  },
  {
    name: 'backfill',
    file: 'src/gateway/deliveryCheck.ts',
    tests: ['droppedRows'],
    from: 'if (missing.length === 0) return;',
    to: 'if (missing.length >= 0) return;',
  },
  {
    name: 'crash settle',
    file: 'src/store/session/turnLife.ts',
    tests: ['droppedRows', 'restart'],
    from: 'return this.turns.running().filter(({ uid }) => !except.includes(uid)).map((turn) =>',
    to: 'return this.turns.running().slice(0, 0).map((turn) =>',
  },
  {
    name: 'slot',
    file: 'src/gateway/turnSlots.ts',
    tests: ['concurrency'],
    from: 'return runner.runningIn(conversationId) !== null || compressions.isRunning(conversationId) || opening.waitsInStore(session);',
    to: 'return runner.all().length < 0 && compressions.isRunning(conversationId) && opening.waitsInStore(session);',
  },
  {
    name: 'identity of a submission',
    file: 'src/gateway/promptIntake.ts',
    tests: ['duplicateRows'],
    from: 'if (repeated !== null) return repeated;',
    to: 'void repeated;',
  },
  {
    name: 'compression published whole',
    file: 'src/store/session/sessionDb.ts',
    tests: ['compression', 'test/unit/store/sessionDbCompression'],
    from: 'return this.write(() => this.rooms.compression.publish(input));',
    to: 'return this.rooms.compression.publish(input);',
  },
  {
    name: 'durable name of the log',
    file: 'src/store/engine/fileVfs.ts',
    tests: ['test/unit/store/engine/powerCut'],
    from: "folderSyncDue: role === 'log'",
    to: 'folderSyncDue: false',
  },
  {
    name: 'wire text stored',
    file: 'src/agent/turnRecall.ts',
    tests: ['memory'],
    from: 'await this.parts.store.setApiContent(prompt.uid, text, { turnUid: this.run.turn.uid, found: this.found });',
    to: 'this.texts = new Map([[prompt.uid, text]]);',
  },
  {
    name: 'serial queue of a memory provider',
    file: 'src/memory/providerLane.ts',
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
  {
    name: 'allowed before it runs',
    file: 'src/agent/callRunner.ts',
    tests: ['approvals'],
    from: 'const refusal = decided === undefined ? await this.ask(part, prepared, messageUid) : await this.obey(decided);',
    to: 'const refusal = decided === undefined ? (void messageUid, null) : await this.obey(decided);',
  },
  {
    name: 'decision on disk before it is acted on',
    file: 'src/gateway/approvals.ts',
    tests: ['approvals'],
    from: 'const { approval, turn } = await tryAgain(clock, () => store.decideApproval(id, decision, clock.now()));',
    to: "const { approval, turn } = { approval: { ...(await store.approval(id)), state: { kind: 'decided', decision, decidedAt: clock.now() } }, turn: { state: 'running' } };",
  },
  {
    name: 'a turn that waits is left, not ended',
    file: 'src/gateway/turnRunner.ts',
    tests: ['approvals'],
    from: 'if (!run.decisions.leave()) run.controller.abort',
    to: 'run.controller.abort',
  },
  {
    name: 'the first decision stands',
    file: 'src/store/session/approvalTable.ts',
    tests: ['approvals', 'test/unit/store/sessionDbApprovals'],
    from: "if (state.kind === 'pending') {",
    to: "if (state.kind !== 'expired') {",
  },
  {
    name: 'tags taken out before the store',
    file: 'src/agent/answerIntake.ts',
    tests: ['streams'],
    from: 'this.passAll(this.filter.take(event.text));',
    to: "this.pass('text', event.text);",
  },
];

const asked = process.argv.slice(2);
const root = process.cwd();
/** Whole editors, which no test here needs. */
const editors = join('test', 'vscode', 'node_modules');
let unguarded = 0;
for (const guard of guards.filter(({ name }) => asked.length === 0 || asked.includes(name))) {
  const failed = failingWithout(guard);
  if (failed.length === 0) unguarded++;
  console.log(`| ${guard.name} | \`${guard.file}\` | ${failed.length === 0 ? '**none**' : failed.join('; ')} |`);
}
process.exitCode = unguarded === 0 ? 0 : 1;

function failingWithout({ file, from, to, also = [], tests }) {
  const copy = mkdtempSync(join(tmpdir(), 'hermes-mutation-'));
  try {
    for (const name of ['src', 'test', 'package.json', 'tsconfig.json', 'vitest.config.mts'])
      cpSync(join(root, name), join(copy, name), { recursive: true, filter: (source) => !source.endsWith(editors) });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const source = [{ from, to }, ...also].reduce(
      (text, change) => replaced(text, change, file),
      readFileSync(join(copy, file), 'utf8'),
    );
    writeFileSync(join(copy, file), source);
    const report = join(copy, 'report.json');
    const arguments_ = [
      'run',
      ...tests.map((name) => (name.includes('/') ? `${name}.test.ts` : `test/conformance/${name}.test.ts`)),
      '--reporter=json',
      `--outputFile=${report}`,
      '--testTimeout=5000',
    ];
    spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...arguments_], {
      cwd: copy,
      stdio: 'ignore',
    });
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const names = testResults.flatMap(({ assertionResults }) =>
      assertionResults.filter(({ status }) => status === 'failed').map(({ title }) => title),
    );
    return [...new Set(names)];
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function replaced(text, { from, to }, file) {
  if (text.split(from).length !== 2) throw new Error(`${file} does not hold exactly once: ${from}`);
  return text.replace(from, () => to);
}
