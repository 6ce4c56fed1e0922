import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readGuards, staleGuards, type Guard } from './guardTable.mjs';

const root = path.resolve('.');
const guard: Guard = {
  name: 'a guard',
  file: 'src/transcript/message.ts',
  from: 'export type Message =',
  to: 'export type Other =',
  tests: ['sequence', 'test/unit/gateway/crash'],
};

/** What is wrong with a guard that differs from a good one in this. */
const faults = (difference: Partial<Guard>): readonly string[] => staleGuards([{ ...guard, ...difference }], root);

describe('the guards that npm run mutations turns off', () => {
  it('are all in the source, exactly once, and name test files that exist', async () => {
    expect(staleGuards(await readGuards(root), root)).toEqual([]);
  });

  it('are reported as stale, each by name, if text, file or tests are gone', () => {
    expect(faults({})).toEqual([]);
    expect(faults({ from: 'no such text' })).toEqual([
      'a guard: src/transcript/message.ts holds this text 0 times instead of once: no such text',
    ]);
    expect(faults({ also: [{ from: 'readonly ', to: '' }] })[0]).toMatch(
      /^a guard: src\/transcript\/message\.ts holds this text \d\d+ times instead of once: readonly $/,
    );
    expect(faults({ file: 'src/gone.ts' })).toEqual(['a guard: there is no src/gone.ts']);
    expect(faults({ tests: ['sequence', 'gone'] })).toEqual(['a guard: there is no test/conformance/gone.test.ts']);
    expect(faults({ tests: ['test/unit/gone'] })).toEqual(['a guard: there is no test/unit/gone.test.ts']);
    expect(faults({ tests: [] })).toEqual(['a guard: it names no tests']);
    expect(faults({ to: guard.from })).toEqual(['a guard: it is replaced by itself']);
    expect(staleGuards([guard, guard], root)).toEqual(['a guard: another guard has the same name']);
  });
});
