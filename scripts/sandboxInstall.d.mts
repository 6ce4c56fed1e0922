export function ensureSandbox(say?: (line: string) => void): void;
/** Why commands cannot be confined here; undefined where they can. */
export function sandboxProblem(): string | undefined;
