import { setTimeout as sleep } from 'node:timers/promises';
import type { PeerAgent } from './agents';
import type { Terminal } from './terminal';
import type { WordServer } from './wordServer';

const limitMs = 90_000;

/** An agent in a terminal, worked as a user does: reads its screen and types. */
export class AgentScreen {
  constructor(
    private readonly agent: PeerAgent,
    private readonly terminal: Terminal,
    private readonly server: WordServer,
  ) {}

  /** Resolves when it takes a prompt. Answers what it asks before. `everyMs`: how often the screen is read. */
  async isReady(everyMs = 100): Promise<void> {
    const isSo = (): boolean => {
      const screen = this.terminal.screen();
      const question = this.agent.answers?.find(([asks]) => asks.test(screen));
      if (question !== undefined) for (const key of question[1].split(' ')) this.terminal.press(key);
      return question === undefined && this.agent.ready.test(screen);
    };
    await this.until('a place for the prompt', isSo, everyMs);
  }

  /** Types a prompt and sends it. Some take an Enter right behind typed text for a part of pasted text. */
  async ask(prompt: string): Promise<void> {
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
      for (let waits = 0; waits < 25 && this.server.requests.length === before; waits++) await sleep(100);
    }
  }

  async until(what: string, isSo: () => boolean, everyMs = 100): Promise<void> {
    const end = Date.now() + limitMs;
    while (!isSo()) {
      if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
      await sleep(everyMs);
    }
  }
}
