import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import { joinSentences } from '../../../base/messageText';
import { t } from '../../../base/translate';
import { errorMessage } from '../../../base/errorMessage';
import type { ConfinedRun, Confinement } from '../../../tools/sandbox/confinement';
import type {
  ConnectMcp,
  McpAnswer,
  McpConfined,
  McpConnected,
  McpConnection,
  McpConnectionEvents,
  McpLaunch,
  McpResult,
} from './mcpConnection';

/** Limits on reported blocked actions, because a server may run for days: `mostReported` in total, `mostInSentence` per
 *  sentence. */
const mostReported = 100;
const mostInSentence = 5;

/** Any Unix shell works: it only replaces itself with the program. */
const shell = '/bin/sh';

type StdioLaunch = McpLaunch & { readonly kind: 'stdio' };

/** Starts servers in the sandbox if their launch says so, and others unchanged. Does not start a server that the
 *  sandbox cannot confine. `aside`: a path that does not exist yet, for files that are moved aside when a server
 *  ends. */
export function connectingConfined(
  connect: ConnectMcp,
  confinement: Pick<Confinement, 'confine'>,
  aside: () => string,
): ConnectMcp {
  return async (launch, events, options) => {
    if (launch.kind !== 'stdio' || launch.confined === null) return connect(launch, events, options);
    // Otherwise the sandbox itself would start, and a missing program would look like a server that ended.
    if (!isThere(launch))
      return notStarted(t('The program was not found. Check "command", and whether it is installed and on the PATH.'));
    let run: ConfinedRun;
    try {
      run = await confinedRun(launch, launch.confined, confinement, aside());
    } catch (error) {
      return notStarted(
        t(
          'The sandbox does not hold it, so it was not started: {reason}. Start it again, or choose Run Without the Sandbox under Manage MCP Servers…',
          { reason: errorMessage(error) },
        ),
      );
    }
    const watch = new ConfinedWatch(run, events);
    const { program, args } = run;
    const signal = AbortSignal.any([options.signal, run.danger]);
    const connected = await connect({ ...launch, command: program, args }, events, { ...options, signal });
    if (connected.kind === 'connected') {
      const connection = watched(connected.connection, watch);
      watch.onDanger(() => connection.kill());
      return { kind: 'connected', connection };
    }
    await watch.end();
    // The server may work outside the sandbox, and nothing reports the files it could not read.
    return {
      ...connected,
      sentence: joinSentences([
        withStopped(connected.sentence, watch.stopped),
        t('It ran in the sandbox: under Manage MCP Servers… you can allow it hosts, or have it run without.'),
      ]),
    };
  };
}

function notStarted(sentence: string): McpConnected {
  return { kind: 'failed', sentence, again: false, signIn: false };
}

/** Shell command line that passes every word unchanged. */
export function shellText(command: string, args: readonly string[]): string {
  // Shells differ in the way to mark such a word as not an option of `exec`.
  if (command.startsWith('-')) throw new Error('the name of its program begins with a dash');
  if ([command, ...args].some((word) => word.includes('\0')))
    throw new Error('its command line contains a null character');
  return `exec ${[command, ...args].map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ')}`;
}

async function confinedRun(
  { command, args, folder }: StdioLaunch,
  { hosts, denyRead, denyWrite, folders }: McpConfined,
  confinement: Pick<Confinement, 'confine'>,
  aside: string,
): Promise<ConfinedRun> {
  for (const each of folders) await mkdir(each, { recursive: true });
  return confinement.confine(shellText(command, args), shell, {
    hosts,
    folder: folder ?? process.cwd(),
    aside,
    denyRead,
    denyWrite,
  });
}

function isThere({ command, environment, folder }: StdioLaunch): boolean {
  const from = folder ?? process.cwd();
  const folders = command.includes('/') ? [from] : (environment['PATH'] ?? '/usr/bin:/bin').split(delimiter);
  return folders.some((each) => existsSync(resolve(from, each, command)));
}

/** Tracks the blocked actions of one confined server, from start to end. */
class ConfinedWatch {
  stopped: readonly string[] = [];
  private ending: Promise<void> | null = null;

  constructor(
    private readonly run: ConfinedRun,
    private readonly events: McpConnectionEvents,
  ) {}

  /** Calls back when the server has to be killed at once. */
  onDanger(kill: () => void): void {
    const { danger } = this.run;
    const react = (): void => {
      this.take(['make Git run a program']);
      kill();
    };
    if (danger.aborted) react();
    else danger.addEventListener('abort', react, { once: true });
  }

  /** Reads the blocked actions so far. */
  async check(): Promise<void> {
    this.take(await this.run.stopped());
  }

  /** Call when none of its processes runs anymore. */
  end(): Promise<void> {
    return (this.ending ??= this.finish());
  }

  private async finish(): Promise<void> {
    await this.check().catch(() => undefined);
    this.take((await this.run.ended()).stopped);
  }

  private take(stopped: readonly string[]): void {
    const fresh = stopped
      .filter((action) => !this.stopped.includes(action))
      .slice(0, mostReported - this.stopped.length);
    if (fresh.length === 0) return;
    this.stopped = [...this.stopped, ...fresh];
    this.events.onStopped(fresh);
  }
}

function watched(connection: McpConnection, watch: ConfinedWatch): McpConnection {
  const called = async (call: Promise<McpAnswer<McpResult>>): Promise<McpAnswer<McpResult>> => {
    // Compare with the state at the start of this call, because another call may read first.
    const before = watch.stopped;
    const answer = await call;
    const looking = watch.check().catch(() => undefined);
    // A successful call does not wait. A failed one reports the actions blocked meanwhile.
    if (answer.kind === 'ok' && !answer.value.isError) return answer;
    await looking;
    const fresh = watch.stopped.filter((action) => !before.includes(action));
    if (fresh.length === 0) return answer;
    if (answer.kind !== 'ok') return { ...answer, sentence: withStopped(answer.sentence, fresh) };
    return {
      kind: 'ok',
      value: { ...answer.value, content: [...answer.value.content, { kind: 'text', text: withStopped('', fresh) }] },
    };
  };
  return {
    ...connection,
    listTools: async (signal) => {
      const answer = await connection.listTools(signal);
      watch.check().catch(() => undefined);
      return answer;
    },
    callTool: (name, args, options) => called(connection.callTool(name, args, options)),
    close: async () => {
      await connection.close();
      await watch.end();
    },
    kill: () => {
      connection.kill();
      watch.end().catch(() => undefined);
    },
  };
}

function withStopped(sentence: string, stopped: readonly string[]): string {
  return stopped.length === 0
    ? sentence
    : joinSentences([
        sentence,
        t('The sandbox kept the server from this: {actions}.', { actions: stopped.slice(-mostInSentence).join('; ') }),
      ]);
}
