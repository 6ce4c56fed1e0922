export interface RunningPostgres {
  readonly port: number;
  readonly user: string;
  readonly password: string;
  url(database?: string, user?: string, password?: string): string;
  /** In order. */
  stop(): Promise<void>;
  /** As a kill -9 or a power cut would. */
  kill(): Promise<void>;
  /** Starts it again after it was stopped or killed. */
  restart(): Promise<void>;
}

/** Starts a server on this machine alone. `durable`: false to be faster than a disk; then a power cut may lose data. */
export declare function startPostgres(options: {
  readonly folder: string;
  readonly password: string;
  readonly port?: number | null;
  readonly durable?: boolean;
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Called with pieces of the server's log. */
  readonly onLog?: (text: string) => void;
}): Promise<RunningPostgres>;

export declare const tryOutFolder: string;
