import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import type { WasmParts } from '../../../../src/store/engine/defaultVfs';
import { findDefaultVfs, wasmParts } from '../../../../src/store/engine/defaultVfs';
import { testSqlite, wasmBytes } from '../../../support/sqlite';

/** Addresses in the imitation: a connection whose first word is the address of a `sqlite3_vfs`. */
const connection = 64;
const vfs = 128;
const name = 256;

/** A wasm function of so many parameters, as a module exports it: this is what a function table holds. */
function wasmFunction(parameters: number): object {
  const types = [1, 0x60, parameters, ...Array<number>(parameters).fill(0x7f), 1, 0x7f];
  const section = (id: number, content: number[]): number[] => [id, content.length, ...content];
  const bytes = [
    0,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    ...section(1, types),
    ...section(3, [1, 0]),
    ...section(7, [1, 1, 0x66, 0, 0]),
    ...section(10, [1, 4, 0, 0x41, 0, 0x0b]),
  ];
  const exported = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes))).exports['f'];
  if (exported === undefined) throw new Error('no function');
  return exported;
}

interface Imitation {
  readonly words: Readonly<Record<number, number>>;
  readonly name: string;
  /** Numbers of parameters of the functions for opening, deleting and looking up, at table places 1 to 3. */
  readonly parameters: readonly number[];
}

const sound: Imitation = {
  words: {
    [connection]: vfs,
    [vfs]: 3,
    [vfs + 4]: 64,
    [vfs + 8]: 512,
    [vfs + 16]: name,
    [vfs + 24]: 1,
    [vfs + 28]: 2,
    [vfs + 32]: 3,
  },
  name: 'unix',
  parameters: [5, 3, 4],
};

function imitate(imitation: Imitation): WasmParts {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const view = new DataView(memory.buffer);
  for (const [address, value] of Object.entries(imitation.words)) view.setUint32(Number(address), value, true);
  new Uint8Array(memory.buffer).set(new TextEncoder().encode(imitation.name), name);
  const table = new WebAssembly.Table({ element: 'anyfunc', initial: 8 });
  imitation.parameters.forEach((count, index) => table.set(index + 1, wasmFunction(count)));
  return { memory, table };
}

describe('the self-test before the file layer is installed', () => {
  test('finds the layout it knows', () => {
    expect(findDefaultVfs(imitate(sound), connection)).toEqual({ address: vfs, open: 1, delete: 2, access: 3 });
  });

  const doubts: readonly (readonly [what: string, imitation: Imitation, reason: string])[] = [
    ['the connection leads nowhere', { ...sound, words: { ...sound.words, [connection]: 0 } }, 'outside memory'],
    [
      'the connection leads outside memory',
      { ...sound, words: { ...sound.words, [connection]: 0x7fff_fff0 } },
      'outside memory',
    ],
    ['an unknown version', { ...sound, words: { ...sound.words, [vfs]: 7 } }, 'VFS version is 7'],
    ['an absurd file object', { ...sound, words: { ...sound.words, [vfs + 4]: 2 } }, 'size of a file object'],
    ['an absurd path length', { ...sound, words: { ...sound.words, [vfs + 8]: 1 } }, 'longest path name'],
    ['another default VFS', { ...sound, name: 'opfs' }, "called 'opfs'"],
    ['no function where one must be', { ...sound, words: { ...sound.words, [vfs + 24]: 5 } }, "function 'open'"],
    ['a function beyond the table', { ...sound, words: { ...sound.words, [vfs + 32]: 4000 } }, "function 'access'"],
    ['a function of another shape', { ...sound, parameters: [5, 4, 4] }, "function 'delete'"],
  ];
  test.each(doubts)('refuses, with a sentence, when there is %s', (_what, imitation, reason) => {
    const parts = imitate(imitation);
    const before = new Uint8Array(parts.memory.buffer).slice();
    expect(() => findDefaultVfs(parts, connection)).toThrow(
      expect.objectContaining({
        name: 'StoreError',
        causeClass: 'unknown',
        message: expect.stringContaining('Reinstall the extension'),
        technical: expect.stringContaining(reason),
      }),
    );
    expect(Buffer.compare(new Uint8Array(parts.memory.buffer), before)).toBe(0);
  });

  test('refuses a module without exactly one memory and one table', () => {
    const { memory, table } = imitate(sound);
    expect(wasmParts({ exports: { memory, table } })).toEqual({ memory, table });
    expect(() => wasmParts({ exports: { memory } })).toThrow(
      expect.objectContaining({ technical: expect.stringContaining('function table, found 0') }),
    );
    expect(() => wasmParts({ exports: { memory, other: memory, table } })).toThrow(
      expect.objectContaining({ technical: expect.stringContaining('one memory, found 2') }),
    );
  });

  test('passes on the shipped engine, whose version is pinned', async () => {
    await testSqlite();
    const require = createRequire(import.meta.url);
    const manifest: unknown = JSON.parse(
      readFileSync(require.resolve('sql.js').replace(/dist.*$/, 'package.json'), 'utf8'),
    );
    const ours: unknown = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
    expect(manifest).toMatchObject({ version: '1.16.0' });
    expect(ours).toMatchObject({ dependencies: { 'sql.js': '1.16.0' } });
    expect(wasmBytes().length).toBeGreaterThan(500_000);
  });
});
