/* eslint-disable no-var, @typescript-eslint/no-empty-object-type -- ambient declarations in the shape of TypeScript's
   own library */
/** The part of the WebAssembly interface that the engine uses. Node has it, but TypeScript declares it only in the
 *  browser's library, which the floors below the views must not see. Same shapes as there, so that a program that
 *  includes both still type-checks. */
declare namespace WebAssembly {
  type Exports = Record<string, ExportValue>;
  type ExportValue = object;
  type Imports = Record<string, Record<string, unknown>>;

  interface Memory {
    readonly buffer: ArrayBuffer;
  }
  var Memory: { prototype: Memory; new (descriptor: { initial: number; maximum?: number }): Memory };

  interface Table {
    readonly length: number;
    get(index: number): unknown;
    set(index: number, value?: unknown): void;
  }
  var Table: { prototype: Table; new (descriptor: { element: 'anyfunc'; initial: number; maximum?: number }): Table };

  interface Module {}
  var Module: { prototype: Module; new (bytes: Uint8Array<ArrayBuffer>): Module };

  function compile(bytes: Uint8Array<ArrayBuffer>): Promise<Module>;

  interface Instance {
    readonly exports: Exports;
  }
  var Instance: { prototype: Instance; new (module: Module, imports?: Imports): Instance };
}
