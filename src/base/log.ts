/** The log of the whole project. Never receives keys; receives conversation text only at trace level. */
export interface Log {
  trace(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
}

export const silentLog: Log = {
  trace: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
