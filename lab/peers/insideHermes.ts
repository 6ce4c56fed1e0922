import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { packageExtension } from '../../scripts/package.mjs';
import { agentRules } from '../../src/features/agents/core/agentRegistry';
import { readCommands } from '../../src/features/agents/core/storedSession';
import { HostedWorld } from '../../test/support/acpAgent/hostedWorld';
import type { RecordingSurface } from '../../test/support/recordingSurface';
import { inTemporaryFolder } from '../support/temporaryFolder';
import { hostedPeers, launchOf, processesAtHome, stepCall, type HostedPeer, type Installed } from './hostedPeers';
import { VscodeTrial } from './insideVscode';
import { wordsIn, wordsInBody } from './wordSearch';
import { WordServer } from './wordServer';

/** Runs agents inside Hermes: ten prompts with edits and commands, a stop, a `kill -9` in the middle of an answer, a
 *  new window, a branch. In Hermes' own gateway and store, or with `--vscode` in the panel of a real VS Code.
 *  `--programs`: a folder in which npm has installed the agents. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      programs: { type: 'string' },
      agents: { type: 'string' },
      node: { type: 'string' },
      vscode: { type: 'boolean', default: false },
      pictures: { type: 'string' },
    },
  });
  const { programs, node = process.execPath } = values;
  if (programs === undefined) throw new Error('Say where the agents are installed: --programs <folder>');
  const wanted = values.agents?.split(',') ?? hostedPeers.map(({ peer }) => peer);
  const installed = { programs, node };
  await inTemporaryFolder('inside-package', async (folder) => {
    const vsix = values.vscode ? process.env['HERMES_VSIX'] || (await packageExtension(console.log, folder)).file : '';
    for (const agent of hostedPeers.filter(({ peer }) => wanted.includes(peer)))
      await inTemporaryFolder(`inside-${agent.peer}`, async (root) => {
        const trial = values.vscode
          ? new VscodeTrial(agent, { ...installed, root, vsix, pictures: values.pictures ?? null })
          : new Trial(agent, root, installed);
        const limit = setTimeout(() => trial.kill(), values.vscode ? 900_000 : 330_000);
        try {
          await trial.run();
        } catch (error) {
          trial.found['failed'] = error instanceof Error ? (error.stack ?? error.message) : String(error);
        } finally {
          clearTimeout(limit);
          await trial.end();
        }
        console.log(JSON.stringify({ agent: agent.peer, ...trial.found }, null, 2));
      });
  });
  return 0;
}

class Trial {
  readonly found: Record<string, unknown> = {};
  private world!: HostedWorld;
  private server!: WordServer;
  private home = '';
  private surface!: RecordingSurface;
  private asked = 0;

  constructor(
    private readonly agent: HostedPeer,
    private readonly root: string,
    private readonly installed: Installed,
  ) {}

  note(name: string, what: unknown): void {
    this.found[name] = what;
  }

  async run(): Promise<void> {
    const { agent } = this;
    this.server = await WordServer.start();
    const { url } = this.server;
    this.home = join(this.root, 'home');
    this.world = await HostedWorld.create({
      rules: agentRules[agent.peer] ?? {},
      launch: (folder) => ({ ...launchOf(agent, this.installed, { home: this.home, project: folder, url }), folder }),
    });
    this.surface = this.world.world.surface();
    const started = Date.now();
    await this.tenPrompts();
    this.note('tenPromptsSeconds', Math.round((Date.now() - started) / 1000));
    await this.stopped();
    await this.killed();
    await this.reloaded();
    await this.state();
    await this.branched();
  }

  kill(): void {
    this.note('timeLimit', true);
    this.killProcesses();
  }

  async end(): Promise<void> {
    const { logLines, traceLines } = this.world?.world ?? { logLines: [], traceLines: [] };
    this.note(
      'log',
      [...traceLines.slice(-3), ...logLines.filter((line) => !line.includes('outside a turn')).slice(-3)].map((line) =>
        line.slice(0, 600),
      ),
    );
    this.killProcesses();
    await Promise.race([this.world?.close(), sleep(20_000)]);
    this.server?.close();
  }

  private get sessionId(): string {
    return this.world.world.gateway.surfaces.shownSession(this.surface.id) ?? '';
  }

  /** Sends a prompt and allows all that is asked until its turn has settled, or `until` is true. */
  private async prompt(text: string, until?: () => boolean): Promise<void> {
    const { surface, world } = this;
    const before = surface.settled.length;
    await world.world.send(surface, text);
    const decided = new Set<string>();
    const end = Date.now() + 100_000;
    while (surface.settled.length === before && until?.() !== true) {
      if (Date.now() > end) throw new Error(`no end of: ${text}`);
      for (const question of surface.questions)
        if (!decided.has(question.id)) {
          decided.add(question.id);
          if (!this.everDecided.has(question.id)) {
            this.everDecided.add(question.id);
            this.asked++;
            await world.world.gateway.approvals.decide(question.id, { kind: 'allow', scope: 'once' });
          }
        }
      await sleep(20);
    }
  }
  private readonly everDecided = new Set<string>();

  private async tenPrompts(): Promise<void> {
    const { agent, server, surface } = this;
    const { folder } = this.world;
    const outcomes: string[] = [];
    for (let n = 1; n <= 10; n++) {
      const call = stepCall(agent, folder, n);
      const text = `Please do step ${n}.`;
      server.planFor(text, { words: 2, cuts: false, call: () => call }, { words: 12, cuts: false });
      await this.prompt(text);
      const { outcome, failure } = surface.settled.at(-1)?.turn ?? {};
      const isDone =
        existsSync(join(folder, `note${n}.txt`)) && /text|ran/.test(readFileSync(join(folder, `note${n}.txt`), 'utf8'));
      outcomes.push(
        [outcome, ...(isDone ? [] : ['NOT DONE']), failure?.sentence, failure?.technical?.slice(0, 300)]
          .join(' ')
          .trim(),
      );
      if (n === 1 && outcome !== 'complete') break;
    }
    const rows = await this.world.world.rows(this.sessionId);
    const results = rows.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'toolResult' ? [part] : [])));
    this.note('ten', outcomes);
    this.note(
      'calls',
      results.map(({ name, outcome, text }) => `${name} ${outcome} ${JSON.stringify(text.slice(0, 60))}`),
    );
    this.note('asked', this.asked);
    this.note('tools', [...new Set((server.requests.at(-1)?.body ?? '').match(/"name":"[\w-]+"/g) ?? [])].slice(0, 40));
  }

  private async words(text: string): Promise<{ readonly letter: string; readonly done: Promise<void> }> {
    const { server } = this;
    server.planFor(text, { words: 500, cuts: false });
    const before = server.requests.length;
    let letter: string | null = null;
    const many = (): boolean => {
      letter ??=
        server.requests.slice(before).find((request) => request.letter !== null && request.body.includes(text))
          ?.letter ?? null;
      return letter !== null && wordsIn(this.surface.deliveredText.slice(-6000), letter).size >= 60;
    };
    await this.prompt(text, many);
    if (letter === null || !many()) throw new Error(`the answer was not seen to run: ${text}`);
    return { letter, done: this.surface.untilSettled(this.surface.settled.length + 1).then(() => undefined) };
  }

  /** Words shown of the answer, those of them that are not stored, and those that the next request has. */
  private async compared(letter: string, shown: ReadonlySet<string>, next: string): Promise<object> {
    const rows = await this.world.world.rows(this.sessionId);
    const texts = rows.flatMap(({ parts }) => parts.flatMap((part) => ('text' in part ? [part.text] : [])));
    const stored = wordsIn(texts.join('\n'), letter);
    const before = this.server.requests.length;
    await this.prompt(next);
    const body =
      this.server.requests.slice(before).findLast((request) => request.letter !== null && request.body.includes(next))
        ?.body ?? '';
    const sent = wordsInBody(body, letter);
    return {
      shown: shown.size,
      lost: [...shown].filter((word) => !stored.has(word)).length,
      inNextRequest: [...shown].filter((word) => sent.has(word)).length,
      remembersFirst: this.isRemembered(before, next),
      next: this.surface.settled.at(-1)?.turn.outcome,
    };
  }

  private async stopped(): Promise<void> {
    const { letter, done } = await this.words('Please count, first.');
    const pressed = Date.now();
    await this.world.world.gateway.turns.stop(this.sessionId);
    await done;
    const { outcome, stopReason } = this.surface.settled.at(-1)?.turn as { outcome?: string; stopReason?: string };
    const shown = wordsIn(this.surface.deliveredText, letter);
    this.note('stop', {
      ms: Date.now() - pressed,
      outcome,
      stopReason,
      ...(await this.compared(letter, shown, 'Please go on after the stop.')),
    });
  }

  private async killed(): Promise<void> {
    const { letter, done } = await this.words('Please count, second.');
    const processes = this.killProcesses();
    await done;
    const { outcome, stopReason } = this.surface.settled.at(-1)?.turn as { outcome?: string; stopReason?: string };
    const shown = wordsIn(this.surface.deliveredText, letter);
    const asked = this.asked;
    const compared = await this.compared(letter, shown, 'Please go on after the kill.');
    this.note('kill', { processes, outcome, stopReason, ...compared, cards: this.asked - asked });
  }

  private async reloaded(): Promise<void> {
    const { sessionId } = this;
    const before = (await this.world.world.lines(sessionId)).join('\n');
    await this.world.reopen();
    this.surface = this.world.world.surface();
    await this.world.world.gateway.switching.switchSession(this.surface.id, { reason: 'resume', sessionId });
    const asked = this.asked;
    const requests = this.server.requests.length;
    await this.prompt('Please go on after the reload.');
    const after = (await this.world.world.lines(sessionId)).join('\n');
    this.note('reload', {
      lost: after.startsWith(before) ? 0 : 'rows differ',
      remembersFirst: this.isRemembered(requests, 'Please go on after the reload.'),
      outcome: this.surface.settled.at(-1)?.turn.outcome,
      cards: this.asked - asked,
    });
  }

  /** A branch of the newest answer, and a prompt in it. */
  private async branched(): Promise<void> {
    const { gateway } = this.world.world;
    const from = null;
    await gateway.switching.switchSession(this.surface.id, { reason: 'branch', sessionId: this.sessionId, from });
    const [asked, requests] = [this.asked, this.server.requests.length];
    await this.prompt('Please go on in the branch.');
    this.note('branch', {
      remembersFirst: this.isRemembered(requests, 'Please go on in the branch.'),
      outcome: this.surface.settled.at(-1)?.turn.outcome,
      cards: this.asked - asked,
    });
  }

  /** True when a request for this prompt has the first prompt as well. */
  private isRemembered(since: number, prompt: string): boolean {
    return this.server.requests
      .slice(since)
      .some(({ body, letter }) => letter !== null && body.includes(prompt) && body.includes('Please do step 1.'));
  }

  private async state(): Promise<void> {
    const { world } = this.world;
    const session = await world.store.getSession(this.sessionId);
    const commands = await readCommands(world.store, session?.conversationId ?? null, 'scripted');
    const use = await world.gateway.compression.contextUse(this.sessionId);
    this.note('commands', commands.map(({ name }) => name).join(' '));
    this.note('context', use.counted ? `${use.tokens} of ${use.window}` : 'not reported');
    this.note('usage', this.surface.settled.at(-1)?.turn.usage ?? null);
  }

  /** Kills every process with this home, the agent's children too. Returns their number. */
  private killProcesses(): number {
    const pids = processesAtHome(this.home);
    for (const pid of pids)
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        continue;
      }
    return pids.length;
  }
}
