import { isAbsolute, join } from 'node:path';

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
  /** A database of opencode elsewhere (`OPENCODE_DB`). Default: null. */
  readonly opencodeDatabase: string | null;
  /** `~/.pi/agent`, or `PI_CODING_AGENT_DIR`. */
  readonly pi: string;
  /** Folder of pi's sessions elsewhere (`PI_CODING_AGENT_SESSION_DIR`). Default: null. */
  readonly piSessions: string | null;
  /** `~/.gemini`, or `.gemini` in `GEMINI_CLI_HOME`. */
  readonly gemini: string;
  /** `~/.qwen`. */
  readonly qwen: string;
  /** Folder of the user, for `~` in settings of agents. */
  readonly home: string;
  /** The `User` folders of the editors on this machine (VS Code, VSCodium, Cursor, …). */
  readonly editors: readonly string[];
  /** Files and folders that the user chose. Default: none. */
  readonly chosen: readonly string[];
}

interface Machine {
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
    opencodeDatabase: opencodeDatabase(),
    pi: named('PI_CODING_AGENT_DIR') ?? join(home, '.pi', 'agent'),
    piSessions: named('PI_CODING_AGENT_SESSION_DIR') ?? null,
    gemini: join(named('GEMINI_CLI_HOME') ?? home, '.gemini'),
    qwen: join(home, '.qwen'),
    home,
    editors: [
      ...editorNames.map((editor) => join(editorData(), editor, 'User')),
      join(sharedData(), 'code-server', 'User'),
      ...serverFolders.map((folder) => join(home, folder, 'data', 'User')),
    ],
    chosen: [],
  };

  /** A relative path is below opencode's data folder (`storage/db.ts` of anomalyco/opencode). */
  function opencodeDatabase(): string | null {
    const path = named('OPENCODE_DB');
    if (path === undefined || path === ':memory:') return null;
    return isAbsolute(path) ? path : join(sharedData(), 'opencode', path);
  }

  function sharedData(): string {
    return named('XDG_DATA_HOME') ?? join(home, '.local', 'share');
  }

  function editorData(): string {
    if (platform === 'win32') return named('APPDATA') ?? join(home, 'AppData', 'Roaming');
    if (platform === 'darwin') return join(home, 'Library', 'Application Support');
    return named('XDG_CONFIG_HOME') ?? join(home, '.config');
  }
}
