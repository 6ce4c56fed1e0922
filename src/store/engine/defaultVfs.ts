import { t } from '../../base/translate';
import { StoreError } from '../storeError';
import { vfsLayout } from './sqliteAbi';

/** The parts of the module that the file layer needs, found by their type because their names are minified. */
export interface WasmParts {
  readonly memory: WebAssembly.Memory;
  readonly table: WebAssembly.Table;
}

/** The default `sqlite3_vfs` of the module, checked member by member. */
export interface DefaultVfs {
  readonly address: number;
  /** Table indices of the functions that will be replaced. */
  readonly open: number;
  readonly delete: number;
  readonly access: number;
}

/** The error for a build of SQLite that the store cannot run on. Nothing has been written anywhere when this is
 *  thrown. */
export function unsuitableEngine(reason: string): StoreError {
  return new StoreError(
    'unknown',
    t(
      'The built-in database engine does not fit this version of Hermes, so no session was opened or changed. Reinstall the extension.',
    ),
    `SQLite file layer self-test: ${reason}`,
  );
}

/** The one memory and the one table of an instantiated module. */
export function wasmParts(instance: WebAssembly.Instance): WasmParts {
  const exported = Object.values(instance.exports);
  const memories = exported.filter((value) => value instanceof WebAssembly.Memory);
  const tables = exported.filter((value) => value instanceof WebAssembly.Table);
  const [memory] = memories;
  const [table] = tables;
  if (memory === undefined || memories.length !== 1)
    throw unsuitableEngine(`expected one memory, found ${memories.length}`);
  if (table === undefined || tables.length !== 1)
    throw unsuitableEngine(`expected one function table, found ${tables.length}`);
  return { memory, table };
}

/** Finds the default VFS through a connection (its first word is the VFS's address) and verifies that the layout is
 *  the known one before anything is written to it. Throws a `StoreError` at the first mismatch. */
export function findDefaultVfs(parts: WasmParts, connection: number): DefaultVfs {
  const memory = new DataView(parts.memory.buffer);
  const word = (address: number): number => {
    if (!Number.isInteger(address) || address <= 0 || address % 4 !== 0 || address + 4 > memory.byteLength) {
      throw unsuitableEngine(`address ${address} is outside memory`);
    }
    return memory.getUint32(address, true);
  };
  const expect = (what: string, value: number, from: number, to: number): void => {
    if (value < from || value > to) throw unsuitableEngine(`${what} is ${value}, expected ${from} to ${to}`);
  };

  const address = word(connection);
  expect('VFS version', word(address + vfsLayout.version), 1, 3);
  expect('size of a file object', word(address + vfsLayout.fileSize), 4, 4096);
  expect('longest path name', word(address + vfsLayout.maxPathname), 128, 65_536);
  const nameAddress = memory.getUint32(address + vfsLayout.name, true);
  const name = cString(new Uint8Array(parts.memory.buffer), nameAddress);
  if (name !== 'unix') throw unsuitableEngine(`the default VFS is called '${name.slice(0, 40)}', expected 'unix'`);

  const callback = (what: 'open' | 'delete' | 'access', parameters: number): number => {
    const index = word(address + vfsLayout[what]);
    const entry: unknown = index < parts.table.length ? parts.table.get(index) : null;
    // An exported wasm function's length is its number of parameters.
    if (typeof entry !== 'function' || entry.length !== parameters) {
      throw unsuitableEngine(`the VFS function '${what}' is not callable with ${parameters} parameters`);
    }
    return index;
  };
  return { address, open: callback('open', 5), delete: callback('delete', 3), access: callback('access', 4) };
}

/** Reads the zero-terminated text at an address. */
export function cString(memory: Uint8Array, address: number): string {
  if (address <= 0 || address >= memory.length) return '';
  const end = memory.indexOf(0, address);
  return new TextDecoder().decode(memory.subarray(address, end === -1 ? memory.length : end));
}
