import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PeerAgent, setUp } from './agents';
import { Terminal } from './terminal';
import { answerWords, fewestWords, type TrialKind, type TrialResult } from './trialResult';
import { wordLength, type WordRequest, type AnswerPlan, WordServer } from './wordServer';
import { wordsBelow, wordsIn, wordsInBody } from './wordSearch';

const limitMs = 90_000;
/** Where the agents share our network: a proxy that is not there, for all but this machine. */
const onlyThisMachine = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  http_proxy: 'http://127.0.0.1:9',
  https_proxy: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
};

/** Tries an agent once in a home of its own. Throws with the screen where it does not get that far. */
export async function trial(agent: PeerAgent, programs: string, kind: TrialKind): Promise<TrialResult> {
  const root = mkdtempSync(join(tmpdir(), `hermes-peer-${agent.name}-`));
  const [home, project] = [join(root, 'home'), join(root, 'project')];
  for (const folder of [home, project]) mkdirSync(folder);
  writeFileSync(join(project, 'README.md'), '# Parcels\n');
  const server = await WordServer.start();
  const around = { home, project, url: server.url };
  setUp(agent, around);
  const terminal = new Terminal({
    command: [join(programs, agent.name, 'node_modules/.bin', agent.program), ...(agent.args?.(around) ?? [])],
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
    return await new Trial(agent, kind, terminal, server, home).run();
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new Error(`${said}; the screen:\n${terminal.screen().trim().split('\n').slice(-30).join('\n')}`, {
      cause: error,
    });
  } finally {
    terminal.close();
    server.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Trial {
  /** Words of the answer that were on the screen at any time: some take them off again, or let them scroll out. */
  private readonly seen = new Set<string>();

  constructor(
    private readonly agent: PeerAgent,
    private readonly kind: TrialKind,
    private readonly terminal: Terminal,
    private readonly server: WordServer,
    private readonly home: string,
  ) {}

  async run(): Promise<TrialResult> {
    await this.isReady();
    const plan: AnswerPlan = { words: answerWords[this.kind], cuts: this.kind === 'cut' };
    this.server.plan(plan);
    await this.ask('Please count parcels.');
    const first = await this.request('count parcels', 0);
    const letter = first.letter ?? '';
    await this.until('words on the screen', () => this.shown(letter).size >= fewestWords);
    await sleep(Math.random() * 2000);
    if (this.kind === 'kill') this.terminal.kill();
    if (this.kind === 'stop') await this.stop();
    if (this.kind === 'cut')
      await this.until('the end of the words', () => this.shown(letter).size > 0 && this.server.ended > 0);
    const before = this.server.requestsWith('count parcels').length;
    const shown = await this.atRest(letter);
    if (this.kind !== 'cut' && shown.size >= answerWords[this.kind])
      throw new Error('it shows an answer only when it is complete');
    if (this.kind === 'kill') return { ...this.result(letter, shown), sentAgain: null, retries: 0 };
    const retries = this.server.requestsWith('count parcels').length - (this.kind === 'cut' ? 1 : before);
    const asked = this.server.requests.length;
    const kept = this.result(letter, shown);
    await this.ask('Please go on now.');
    await this.until('the next request', () => this.next(asked) !== undefined);
    const sent = wordsInBody(this.next(asked)?.body ?? '', letter);
    return { ...kept, sentAgain: wordLength * [...shown].filter((word) => sent.has(word)).length, retries };
  }

  /** Some ask for Escape a second time. */
  private async stop(): Promise<void> {
    for (let tries = 0; tries < 4; tries++) {
      this.terminal.press('Escape');
      for (let waits = 0; waits < 20; waits++) {
        if (this.server.brokenOff > 0) return;
        await sleep(100);
      }
    }
    throw new Error('Escape does not stop it');
  }

  private next(from: number): WordRequest | undefined {
    return this.server.requests.slice(from).find(({ body, letter }) => letter !== null && body.includes('go on now'));
  }

  private result(letter: string, shown: ReadonlySet<string>): Pick<TrialResult, 'shown' | 'lost'> {
    const stored = wordsBelow(this.home, letter);
    const missing = [...shown].filter((word) => !stored.has(word));
    return { shown: wordLength * shown.size, lost: wordLength * missing.length };
  }

  private async isReady(): Promise<void> {
    await this.until('a place for the prompt', () => {
      const screen = this.terminal.screen();
      const question = this.agent.answers?.find(([asks]) => asks.test(screen));
      if (question !== undefined) for (const key of question[1].split(' ')) this.terminal.press(key);
      return question === undefined && this.agent.ready.test(screen);
    });
    await sleep(1500);
  }

  /** Some take an Enter right behind typed text for a part of pasted text. */
  private async ask(prompt: string): Promise<void> {
    const before = this.server.requests.length;
    const isThere = (): boolean => this.terminal.screen().includes(prompt.slice(0, 20));
    // A screen may be drawn before its keys are read.
    for (let tries = 0; tries < 4 && !isThere(); tries++) {
      this.terminal.type(prompt);
      for (let waits = 0; waits < 50 && !isThere(); waits++) await sleep(200);
    }
    if (!isThere()) throw new Error('the prompt is not on the screen');
    for (let tries = 0; tries < 5 && this.server.requests.length === before; tries++) {
      await sleep(1500);
      this.terminal.press('Enter');
      await sleep(2500);
    }
  }

  private async request(text: string, index: number): Promise<WordRequest> {
    await this.until('a request', () => this.server.requestsWith(text)[index] !== undefined);
    const request = this.server.requestsWith(text)[index];
    if (request === undefined) throw new Error('there is no request');
    return request;
  }

  /** The words on the screen once they no longer change. */
  private async atRest(letter: string): Promise<ReadonlySet<string>> {
    let shown = this.shown(letter);
    for (let same = 0; same < 6;) {
      await sleep(500);
      const now = this.shown(letter);
      same = now.size === shown.size ? same + 1 : 0;
      shown = now;
    }
    return shown;
  }

  private shown(letter: string): ReadonlySet<string> {
    for (const word of wordsIn(this.terminal.screen(), letter)) this.seen.add(word);
    return this.seen;
  }

  private async until(what: string, isSo: () => boolean): Promise<void> {
    const end = Date.now() + limitMs;
    while (!isSo()) {
      if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
      await sleep(100);
    }
  }
}
