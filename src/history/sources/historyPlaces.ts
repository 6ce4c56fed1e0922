import { join } from 'node:path';

/** Folders in which agents keep their sessions. A folder need not exist. */
export interface HistoryPlaces {
  /** `~/.claude`, or `CLAUDE_CONFIG_DIR`. */
  readonly claude: string;
  /** `~/.codex`, or `CODEX_HOME`. */
  readonly codex: string;
  /** `~/.hermes`, or `HERMES_HOME`. */
  readonly hermes: string;
  /** `~/.cline`, or `CLINE_DIR`. */
  readonly cline: string;
  /** `~/.local/share/opencode`, or `opencode` in `XDG_DATA_HOME`: opencode uses these on every platform. */
  readonly opencode: string;
  /** `~/.pi/agent`, or `PI_CODING_AGENT_DIR`. */
  readonly pi: string;
  /** The `User` folders of the editors on this machine (VS Code, VSCodium, Cursor, …). */
  readonly editors: readonly string[];
  /** JSON and JSONL files or folders that the user chose. Default: none. */
  readonly chosen: readonly string[];
}

export interface Machine {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly environment: { readonly [name: string]: string | undefined };
}

const editorNames = ['Code', 'Code - Insiders', 'Code - OSS', 'VSCodium', 'VSCodium - Insiders', 'Cursor', 'Windsurf'];
/** Folders of editors that run on this machine for a window elsewhere. */
const serverFolders = ['.vscode-server', '.vscode-server-insiders', '.vscodium-server', '.cursor-server'];

/** The usual folders of a machine. */
export function usualPlaces({ home, platform, environment }: Machine): HistoryPlaces {
  const named = (name: string): string | undefined => {
    const value = environment[name];
    return value === undefined || value === '' ? undefined : value;
  };
  return {
    claude: named('CLAUDE_CONFIG_DIR') ?? join(home, '.claude'),
    codex: named('CODEX_HOME') ?? join(home, '.codex'),
    hermes: named('HERMES_HOME') ?? join(home, '.hermes'),
    cline: named('CLINE_DIR') ?? join(home, '.cline'),
    opencode: join(sharedData(), 'opencode'),
    pi: named('PI_CODING_AGENT_DIR') ?? join(home, '.pi', 'agent'),
    editors: [
      ...editorNames.map((editor) => join(editorData(), editor, 'User')),
      join(sharedData(), 'code-server', 'User'),
      ...serverFolders.map((folder) => join(home, folder, 'data', 'User')),
    ],
    chosen: [],
  };

  function sharedData(): string {
    return named('XDG_DATA_HOME') ?? join(home, '.local', 'share');
  }

  function editorData(): string {
    if (platform === 'win32') return named('APPDATA') ?? join(home, 'AppData', 'Roaming');
    if (platform === 'darwin') return join(home, 'Library', 'Application Support');
    return named('XDG_CONFIG_HOME') ?? join(home, '.config');
  }
}
