import * as nodePath from 'node:path';
import type { PersonalGroup } from '../../transcript/contextFiles';

/** Absolute paths of the user's home folder and of the folders with personal files. */
export interface PersonalPlaces {
  readonly home: string;
  readonly folders: Readonly<Record<PersonalGroup, string>>;
}

/** Returns the folders of personal files. Each tool's own variable moves its folder: XDG_CONFIG_HOME (Hermes, except on
 *  Windows), CLAUDE_CONFIG_DIR, CODEX_HOME. A value that is not an absolute path is ignored. */
export function personalPlaces(
  home: string,
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): PersonalPlaces {
  const path = platform === 'win32' ? nodePath.win32 : nodePath.posix;
  const folder = (variable: string, ...otherwise: readonly string[]): string => {
    const value = environment[variable] ?? '';
    return path.isAbsolute(value) ? value : path.join(home, ...otherwise);
  };
  const settings =
    platform === 'win32' ? folder('APPDATA', 'AppData', 'Roaming') : folder('XDG_CONFIG_HOME', '.config');
  return {
    home,
    folders: {
      hermes: path.join(settings, 'hermes'),
      claude: folder('CLAUDE_CONFIG_DIR', '.claude'),
      codex: folder('CODEX_HOME', '.codex'),
      copilot: path.join(home, '.copilot'),
      opencode: path.join(settings, 'opencode'),
      agents: path.join(home, '.agents'),
    },
  };
}
