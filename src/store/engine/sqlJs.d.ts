/** The part of sql.js 1.16.0 that the store uses. The package ships no types, and the published ones lack
 *  `addFunction`, `Database.db` and `instantiateWasm`. */
declare module 'sql.js' {
  export type BindValue = string | number | null | Uint8Array;
  export type ColumnValue = string | number | bigint | null | Uint8Array;

  export interface Statement {
    bind(values: readonly BindValue[]): boolean;
    step(): boolean;
    get(params: null, config: { readonly useBigInt: boolean }): ColumnValue[];
    getColumnNames(): string[];
    reset(): boolean;
    free(): boolean;
  }

  export interface Database {
    /** Address of the connection (`sqlite3*`) in the module's memory. */
    readonly db: number;
    /** Its file name in the module's own file system, without the leading slash. */
    readonly filename: string;
    run(sql: string): Database;
    prepare(sql: string): Statement;
    getRowsModified(): number;
    /** Copies the whole database, page by page, as this connection sees it. Must not run inside a write transaction. */
    export(): Uint8Array;
    close(): void;
  }

  export interface SqlJsStatic {
    readonly Database: new (data: Uint8Array) => Database;
    addFunction(callback: (...args: never[]) => number, signature: string): number;
    _malloc(bytes: number): number;
  }

  export interface SqlJsConfig {
    readonly useOldExtensionFunctions: boolean;
    readonly instantiateWasm: (
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance) => void,
    ) => WebAssembly.Exports;
  }

  export default function initSqlJs(config: SqlJsConfig): Promise<SqlJsStatic>;
}
