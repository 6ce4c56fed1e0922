export interface Guard {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly tests: readonly string[];
  readonly also?: readonly { readonly from: string; readonly to: string }[];
}

export function readGuards(root: string): Promise<readonly Guard[]>;
export function staleGuards(guards: readonly Guard[], root: string): readonly string[];
export function withoutGuard(guard: Guard, root: string): string;
export function testFilesOf(guard: Guard, root: string): readonly string[];
