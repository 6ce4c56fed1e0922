export interface VscodeInstall {
  /** The Node binary that runs the server. */
  node: string;
  /** code-server's entry file. */
  entry: string;
  /** What the server says of its own version. */
  version: string;
}

export function ensureVscode(say?: (line: string) => void): Promise<VscodeInstall>;
export function installedNode24(): string | undefined;

/** An empty configuration file for code-server. */
export const serverConfig: string;
