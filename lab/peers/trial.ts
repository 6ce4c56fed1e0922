import { setTimeout as sleep } from 'node:timers/promises';
import type { PeerAgent } from './agents';
import { type RunningPeer, withPeer } from './peerHome';
import { answerWords, fewestWords, type TrialKind, type TrialResult } from './trialResult';
import { wordLength, type WordRequest } from './wordServer';
import { wordsBelow, wordsIn, wordsInBody } from './wordSearch';

/** Tries an agent once in a home of its own. Throws with the screen where it does not get that far. */
export function trial(agent: PeerAgent, programs: string, kind: TrialKind): Promise<TrialResult> {
  return withPeer(agent, programs, (peer) => new Trial(kind, peer).run());
}

class Trial {
  /** Words of the answer that were on the screen at any time: some take them off again, or let them scroll out. */
  private readonly seen = new Set<string>();

  constructor(
    private readonly kind: TrialKind,
    private readonly peer: RunningPeer,
  ) {}

  async run(): Promise<TrialResult> {
    const { server, screen, terminal } = this.peer;
    await screen.isReady();
    await sleep(1500);
    server.plan({ words: answerWords[this.kind], cuts: this.kind === 'cut' });
    await screen.ask('Please count parcels.');
    const letter = await this.letterOf('count parcels');
    await screen.until('words on the screen', () => this.shown(letter).size >= fewestWords);
    await sleep(Math.random() * 2000);
    if (this.kind === 'kill') terminal.kill();
    if (this.kind === 'stop') await this.stop();
    if (this.kind === 'cut')
      await screen.until('the end of the words', () => this.shown(letter).size > 0 && server.ended > 0);
    const before = server.requestsWith('count parcels').length;
    const shown = await this.atRest(letter);
    if (this.kind !== 'cut' && shown.size >= answerWords[this.kind])
      throw new Error('it shows an answer only when it is complete');
    if (this.kind === 'kill') return { ...this.result(letter, shown), sentAgain: null, retries: 0 };
    const retries = server.requestsWith('count parcels').length - (this.kind === 'cut' ? 1 : before);
    const asked = server.requests.length;
    const kept = this.result(letter, shown);
    await screen.ask('Please go on now.');
    await screen.until('the next request', () => this.next(asked) !== undefined);
    const sent = wordsInBody(this.next(asked)?.body ?? '', letter);
    return { ...kept, sentAgain: wordLength * [...shown].filter((word) => sent.has(word)).length, retries };
  }

  /** Some ask for Escape a second time. */
  private async stop(): Promise<void> {
    for (let tries = 0; tries < 4; tries++) {
      this.peer.terminal.press('Escape');
      for (let waits = 0; waits < 20; waits++) {
        if (this.peer.server.brokenOff > 0) return;
        await sleep(100);
      }
    }
    throw new Error('Escape does not stop it');
  }

  private next(from: number): WordRequest | undefined {
    return this.peer.server.requests
      .slice(from)
      .find(({ body, letter }) => letter !== null && body.includes('go on now'));
  }

  private result(letter: string, shown: ReadonlySet<string>): Pick<TrialResult, 'shown' | 'lost'> {
    const stored = wordsBelow(this.peer.home, letter);
    const missing = [...shown].filter((word) => !stored.has(word));
    return { shown: wordLength * shown.size, lost: wordLength * missing.length };
  }

  /** Letter of the words that answer this prompt. */
  private async letterOf(prompt: string): Promise<string> {
    const first = (): WordRequest | undefined => this.peer.server.requestsWith(prompt)[0];
    await this.peer.screen.until('a request', () => first() !== undefined);
    return first()?.letter ?? '';
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
    for (const word of wordsIn(this.peer.terminal.screen(), letter)) this.seen.add(word);
    return this.seen;
  }
}
