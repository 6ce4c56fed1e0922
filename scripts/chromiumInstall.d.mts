export function findChromium(env?: NodeJS.ProcessEnv): string | undefined;
export function ensureChromium(say?: (line: string) => void): Promise<string>;
export function ensureHeadlessShell(say?: (line: string) => void): void;
