import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTemporaryFolder } from '../support/temporaryFolder';
import { type PeerAgent, setUp } from './agents';
import { AgentScreen } from './agentScreen';
import { Terminal } from './terminal';
import { WordServer } from './wordServer';

/** Where the agents share our network: a proxy that is not there, for all but this machine. */
const onlyThisMachine = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  http_proxy: 'http://127.0.0.1:9',
  https_proxy: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
};

/** A running agent with all that belongs to it. */
export interface RunningPeer {
  readonly home: string;
  readonly terminal: Terminal;
  readonly server: WordServer;
  readonly screen: AgentScreen;
}

/** Runs an agent in a home and a project of its own, with a model of its own. `under`: a command that runs it. Throws
 *  with the screen where `work` fails. */
export function withPeer<T>(
  agent: PeerAgent,
  programs: string,
  work: (peer: RunningPeer) => Promise<T>,
  under: readonly string[] = [],
): Promise<T> {
  return inTemporaryFolder(`peer-${agent.name}`, async (root) => {
    const [home, project] = [join(root, 'home'), join(root, 'project')];
    for (const folder of [home, project]) mkdirSync(folder);
    writeFileSync(join(project, 'README.md'), '# Parcels\n');
    const server = await WordServer.start();
    const around = { home, project, url: server.url };
    setUp(agent, around);
    const program = join(programs, agent.name, 'node_modules/.bin', agent.program);
    const terminal = new Terminal({
      command: [...under, program, ...(agent.args?.(around) ?? [])],
      cwd: project,
      env: {
        HOME: home,
        PATH: process.env['PATH'] ?? '',
        TERM: 'xterm-256color',
        LANG: 'C.UTF-8',
        ...onlyThisMachine,
        ...agent.env(around),
      },
    });
    try {
      return await work({ home, terminal, server, screen: new AgentScreen(agent, terminal, server) });
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      throw new Error(`${said}; the screen:\n${terminal.screen().trim().split('\n').slice(-30).join('\n')}`, {
        cause: error,
      });
    } finally {
      terminal.close();
      server.close();
    }
  });
}
