import { expect, test } from 'vitest';
import { usualPlaces } from '../../../../../../src/features/history/core/sources/historyPlaces';

test('uses the folders that agents are told by the environment, and their usual ones otherwise', () => {
  const environment = {
    CODEX_HOME: '/data/codex',
    PI_CODING_AGENT_DIR: '/data/pi',
    XDG_CONFIG_HOME: '/data/config',
    HERMES_HOME: '',
    OPENCODE_DB: 'work.db',
    PI_CODING_AGENT_SESSION_DIR: '/data/pi-sessions',
  };
  const { editors, ...places } = usualPlaces({ home: '/home/demo', platform: 'linux', environment });

  expect({ ...places, editor: editors[0] }).toEqual({
    claude: '/home/demo/.claude',
    codex: '/data/codex',
    hermes: '/home/demo/.hermes',
    cline: '/home/demo/.cline',
    opencode: '/home/demo/.local/share/opencode',
    opencodeDatabase: '/home/demo/.local/share/opencode/work.db',
    pi: '/data/pi',
    piSessions: '/data/pi-sessions',
    gemini: '/home/demo/.gemini',
    qwen: '/home/demo/.qwen',
    home: '/home/demo',
    chosen: [],
    editor: '/data/config/Code/User',
  });
});
