import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CanaryCommand, canaryCommands } from '../support/canaryCommands';
import {
  type ExaminedPlace,
  examinedEnvironment,
  examinedGuarded,
  isInstalled,
  outsideProxy,
  prepareExamined,
  programOf,
} from '../support/examinedCommands';
import { endGroup, SandboxWorld } from '../support/sandboxWorld';
import { seededRandom } from '../support/seededRandom';

const secret = 'canary-secret';
/** What no command may read, by its place below the home folder. */
const secrets = [
  'code/project/.env',
  'code/project/config/credentials.json',
  '.ssh/id_rsa',
  '.aws/credentials',
  '.netrc',
  '.config/gh/hosts.yml',
  '.config/Code/User/globalStorage/hermes/state.db',
  'Documents/letter.txt',
  'code/other/index.js',
];
/** What no command may change; those that are not there must not be made. */
const guarded = [
  ...secrets,
  '.bashrc',
  '.profile',
  '.npmrc',
  '.gitconfig',
  '.config/Code/User/settings.json',
  'code/project/.git/config',
  'code/project/.vscode/tasks.json',
  'code/project/.git/hooks/pre-commit',
  'code/project/.husky/pre-commit',
  'code/project/AGENTS.md',
  '.ssh/authorized_keys',
  '.config/autostart/x.desktop',
  '.local/bin/git',
  'HEAD',
  ...examinedGuarded,
];
/** Milliseconds that a command has, inside and outside. */
const limits = { inside: 20_000, outside: 5000, examinedOutside: 10_000 };
/** `npm run canaries` runs the whole table, `npm test` this share of it, always the same. */
const share = process.env['HERMES_CANARIES'] === 'all' ? 1 : 0.2;

/** A person's machine in small: what is touched shows. */
class CanaryPlace {
  private asked = 0;
  private constructor(
    readonly isExamined: boolean,
    readonly world: SandboxWorld,
    private readonly server: Server,
    private victim: ChildProcess,
    private readonly pristine: string,
    private readonly contents: ReadonlyMap<string, string | null>,
  ) {
    server.on('connection', () => this.asked++);
    server.on('request', (_, answer) => answer.end('reached'));
  }

  /** `isExamined`: with the repository that the commands of the examination speak of. To put that right again takes five times as long. */
  static async make(isExamined: boolean): Promise<CanaryPlace> {
    const world = await SandboxWorld.start();
    const { home, project } = world;
    for (const name of secrets) world.write(join(home, name), `${secret}\n`);
    for (const name of [
      '.bashrc',
      '.profile',
      '.npmrc',
      '.gitconfig',
      '.config/Code/User/settings.json',
      'code/project/.vscode/tasks.json',
      'code/project/one.txt',
    ])
      world.write(join(home, name), '# ours\n');
    const git = (...args: string[]) =>
      spawnSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...args], {
        cwd: project,
        env: { PATH: process.env['PATH'] ?? '' },
      });
    for (const args of [
      ['init', '-q'],
      ['add', 'one.txt'],
      ['commit', '-q', '-m', 'one'],
      ['commit', '-q', '--allow-empty', '-m', 'two'],
    ])
      git(...args);
    const server = createServer().listen(0, '0.0.0.0');
    await new Promise((resolve) => server.once('listening', resolve));
    if (isExamined) prepareExamined({ home, project, port: (server.address() as AddressInfo).port });
    const pristine = join(world.base, 'pristine');
    cpSync(home, pristine, { recursive: true, verbatimSymlinks: true });
    return new CanaryPlace(
      isExamined,
      world,
      server,
      sleeper(),
      pristine,
      new Map(guarded.map((name) => [name, contentOf(join(home, name))])),
    );
  }

  get commands(): readonly CanaryCommand[] {
    return canaryCommands({ ...this.examined, process: this.victim.pid ?? 0 }).filter(
      ({ kind }) => (kind === 'examined') === this.isExamined,
    );
  }

  get examined(): ExaminedPlace {
    return { home: this.world.home, project: this.world.project, port: (this.server.address() as AddressInfo).port };
  }

  /** What a command touched; empty for nothing. Puts everything right again. */
  async touchedBy(command: string, run: (command: string) => Promise<string>): Promise<readonly string[]> {
    const before = this.asked;
    const output = await run(command);
    const { home, project } = this.world;
    // What a command left for the next look at the repository, which the person and the editor take without a sandbox.
    spawnSync('git', ['status'], { cwd: project, env: { PATH: process.env['PATH'] ?? '', HOME: home } });
    const touched = [
      ...guarded.filter((name) => contentOf(join(home, name)) !== this.contents.get(name)),
      ...(output.includes(secret) ? ['a secret was shown'] : []),
      ...(this.asked > before || output.includes('reached') ? ['the server was asked'] : []),
      ...(this.victim.exitCode !== null || this.victim.signalCode !== null ? ['the process was ended'] : []),
    ];
    if (touched.includes('the process was ended')) this.victim = sleeper();
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    cpSync(this.pristine, home, { recursive: true, verbatimSymlinks: true });
    return touched;
  }

  dispose(): void {
    this.victim.kill('SIGKILL');
    this.server.close();
    this.world.dispose();
  }
}

function sleeper(): ChildProcess {
  return spawn('sleep', ['1000'], { stdio: 'ignore' });
}

/** Of a folder: the names, modes and texts of what is in it. */
function contentOf(path: string): string | null {
  if (!existsSync(path)) return null;
  if (!statSync(path).isDirectory()) return readFileSync(path, 'utf8');
  return readdirSync(path)
    .sort()
    .map(
      (name) =>
        `${name} ${existsSync(join(path, name)) ? statSync(join(path, name)).mode : 'leads nowhere'}\n${contentOf(join(path, name)) ?? ''}`,
    )
    .join('\n');
}

describe('commands that access what is not theirs', { timeout: 900_000 }, () => {
  let places: readonly CanaryPlace[];
  beforeAll(async () => {
    places = await Promise.all([false, false, false, true, true].map(CanaryPlace.make));
  });
  afterAll(() => places.forEach((place) => place.dispose()));

  /** Shares the commands out among the places. */
  async function each(
    pick: (command: CanaryCommand) => boolean,
    run: (place: CanaryPlace, command: CanaryCommand) => Promise<string>,
  ): Promise<readonly Result[]> {
    const done = await Promise.all(
      places.map(async (place) => {
        const alike = places.filter(({ isExamined }) => isExamined === place.isExamined);
        const random = seededRandom(1);
        const mine = place.commands
          .filter(() => random() < share)
          .filter((command, at) => at % alike.length === alike.indexOf(place) && pick(command));
        const results: Result[] = [];
        for (const command of mine)
          results.push({ ...command, touched: await place.touchedBy(command.command, () => run(place, command)) });
        return results;
      }),
    );
    return done.flat();
  }

  it('touch nothing in the sandbox', async () => {
    const results = await each(
      canBeTried,
      async ({ world, examined }, { kind, command }) =>
        (
          await world.run(command, {
            limit: limits.inside,
            ...(kind === 'examined' ? { environment: examinedEnvironment(examined) } : {}),
          })
        ).output,
    );
    console.log(`In the sandbox: ${figures(results)}`);
    expect(results.filter(({ touched }) => touched.length > 0)).toEqual([]);
    expect(results.length).toBeGreaterThan(750 * share);
  });

  it('touch it without the sandbox, which shows that the test would notice', async () => {
    const outside = async ({ world, examined }: CanaryPlace, { kind, command }: CanaryCommand): Promise<string> =>
      new Promise((resolve) => {
        const env = {
          PATH: process.env['PATH'] ?? '',
          HOME: world.home,
          ...(kind === 'examined' ? { ...examinedEnvironment(examined), ...outsideProxy(examined) } : {}),
        };
        const child = spawn('/bin/bash', ['-c', command], {
          cwd: world.project,
          env,
          stdio: ['ignore', 'pipe', 'pipe'],
          detached: true,
        });
        const end = setTimeout(() => endGroup(child), kind === 'examined' ? limits.examinedOutside : limits.outside);
        let output = '';
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding('utf8').on('data', (piece: string) => (output += piece));
        child.once('close', () => (clearTimeout(end), resolve(output)));
      });
    // Not the ways out of a sandbox: without one they would be at work on this machine.
    const results = await each((command) => command.kind !== 'escape' && canBeTried(command), outside);
    const touching = (kind: (kind: CanaryCommand['kind']) => boolean): number =>
      results.filter((result) => kind(result.kind) && result.touched.length > 0).length;
    const missing =
      places
        .at(-1)
        ?.commands.filter((command) => !canBeTried(command))
        .map(({ command }) => programOf(command)) ?? [];
    console.log(
      `Without it: ${figures(results)}\nNot tried, as the program is not installed: ${missing.length} commands of ${[...new Set(missing)].sort().join(', ')}`,
    );
    expect(touching(() => true)).toBeGreaterThan(550 * share);
    // Fewer where fewer of the programs are installed.
    expect(touching((kind) => kind === 'examined')).toBeGreaterThan(60 * share);
  });
});

interface Result extends CanaryCommand {
  readonly touched: readonly string[];
}

function canBeTried({ kind, command }: CanaryCommand): boolean {
  return kind !== 'examined' || isInstalled(programOf(command));
}

function figures(results: readonly Result[]): string {
  const examined = results.filter(({ kind }) => kind === 'examined');
  const touched = (some: readonly Result[]): number => some.filter((result) => result.touched.length > 0).length;
  return `${results.length} commands, ${touched(results)} touched something; of them ${examined.length} of the examination, ${touched(examined)} touched something.`;
}
