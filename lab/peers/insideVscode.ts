import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { registeredAgents } from '../../src/features/agents/core/agentRegistry';
import { ChatPanel, type SeenMessage } from '../../test/e2e/chatPanel';
import { commandOf } from '../../test/support/processTree';
import { EXTENSION_ID } from '../../test/support/extensionId';
import { isAlive, readStateDb, signal, VscodeSession, waitFor } from '../../test/support/vscode';
import { launchOf, processesAtHome, stepCall, type HostedPeer, type Installed } from './hostedPeers';
import { wordsIn, wordsInBody } from './wordSearch';
import { WordServer } from './wordServer';

/** Words of an answer that have to be on the screen before it is broken off. */
const fewestWords = 60;
/** Milliseconds for a turn. */
const turnMs = 180_000;

interface VscodeTrialOptions extends Installed {
  readonly root: string;
  readonly vsix: string;
  /** Folder for pictures. Null: none are taken. */
  readonly pictures: string | null;
}

/** An agent in the panel of a real VS Code: ten prompts with edits and commands, and answers that are broken off by a
 *  stop, by a kill of the agent, and by a kill of the extension host. Shown is every word that the panel had at any
 *  time, stored what another SQLite reads in the rows. */
export class VscodeTrial {
  readonly found: Record<string, unknown> = {};
  private readonly name: string;
  private readonly home: string;
  private readonly folder: string;
  private vscode!: VscodeSession;
  private server!: WordServer;
  private panel!: ChatPanel;
  private asked = 0;
  /** Everything that an answer had on the screen at any time. */
  private seen = '';

  constructor(
    private readonly agent: HostedPeer,
    private readonly options: VscodeTrialOptions,
  ) {
    this.name = registeredAgents.find(({ id }) => id === agent.peer)?.name ?? agent.peer;
    this.home = join(options.root, 'home');
    this.folder = join(options.root, 'vscode', 'parcel-post');
  }

  async run(): Promise<void> {
    const { agent, options, home, folder, name } = this;
    this.server = await WordServer.start();
    const { environment, ...launch } = launchOf(agent, options, { home, project: folder, url: this.server.url });
    mkdirSync(join(options.root, 'vscode'));
    this.vscode = await VscodeSession.start({
      vsix: [options.vsix],
      root: join(options.root, 'vscode'),
      settings: {
        'hermes.model': `${name}/default`,
        'hermes.agents': { [name]: { ...launch, env: environment, agent: agent.peer } },
      },
    });
    this.panel = await ChatPanel.open(await this.vscode.open(this.vscode.sampleFolder()));
    await this.panel.answersWith(name);
    await this.tenPrompts();
    await this.picture('ten');
    await this.brokenOff('stop', () => this.panel.composer.press('Escape'));
    await this.brokenOff('agentKilled', () => Promise.resolve(this.killAgent()));
    await this.picture('killed');
    await this.reloaded();
    await this.brokenOff('hostKilled', () => this.killHost());
    this.found['messages'] = (await this.panel.messages()).length;
    await this.picture('end');
  }

  kill(): void {
    this.found['timeLimit'] = true;
    this.killAgent();
  }

  async end(): Promise<void> {
    this.found['asked'] = this.asked;
    const log = this.vscode?.extensionLog(EXTENSION_ID).split('\n') ?? [];
    this.found['log'] = log.filter((line) => /\[(?:warning|error)\]/i.test(line)).map((line) => line.slice(0, 400));
    if ('failed' in this.found) await this.picture('failed').catch(() => undefined);
    await this.vscode?.dispose();
    // They end as soon as they notice that their input is closed.
    await waitFor('the agents to end', () => processesAtHome(this.home).length === 0, { timeoutMs: 15_000 }).catch(
      () => undefined,
    );
    this.found['leftRunning'] = processesAtHome(this.home).map(commandOf);
    this.killAgent();
    this.server?.close();
  }

  private async picture(name: string): Promise<void> {
    const { pictures } = this.options;
    if (pictures !== null) await this.panel.workbench.screenshot(pictures, `${this.agent.peer}-${name}`);
  }

  /** Sends a prompt and allows what is asked until its turn has ended, or `until` is true. */
  private async prompt(text: string, until?: () => boolean): Promise<SeenMessage | null> {
    const { panel } = this;
    const before = (await panel.prompts()).length;
    await panel.send(text);
    let last = '';
    const deadline = Date.now() + turnMs;
    while (Date.now() < deadline) {
      const messages = await this.look();
      if (until?.() === true) return null;
      await this.allow();
      const answer = messages.at(-1);
      const isNew = (await panel.prompts()).length > before && answer?.name.startsWith('You') === false;
      const isIdle = isNew && (await panel.button(/^Send$/).isVisible());
      const now = isIdle ? JSON.stringify(answer) : '';
      if (now !== '' && now === last) return answer ?? null;
      last = now;
      await sleep(isIdle ? 400 : 30);
    }
    throw new Error(`no end of: ${text}`);
  }

  private async look(): Promise<readonly SeenMessage[]> {
    const messages = await this.panel.messages();
    this.seen += messages
      .slice(-4)
      .map(({ text }) => text)
      .join('\n');
    return messages;
  }

  /** Presses the first button of a card that allows what the agent asks. */
  private async allow(): Promise<void> {
    const button = this.panel.button(/^Allow(?: Once)?$/).first();
    if (!(await button.isVisible()) || (await button.isDisabled().catch(() => true))) return;
    this.asked++;
    const card = await button.elementHandle();
    await button.click();
    await card?.waitForElementState('hidden').catch(() => undefined);
  }

  private async tenPrompts(): Promise<void> {
    const { agent, server, folder } = this;
    const outcomes: string[] = [];
    for (let n = 1; n <= 10; n++) {
      const text = `Please do step ${n}.`;
      const call = stepCall(agent, folder, n);
      server.planFor(text, { words: 2, cuts: false, call: () => call }, { words: 12, cuts: false });
      const answer = await this.prompt(text);
      const file = join(folder, `note${n}.txt`);
      const isDone = existsSync(file) && /text|ran/.test(readFileSync(file, 'utf8'));
      outcomes.push(`${answer?.state ?? 'none'}${isDone ? '' : ' NOT DONE'}`);
      if (n === 1 && !isDone) throw new Error(`The first step was not done: ${JSON.stringify(answer)}`);
      if (n === 2) await this.picture('turn');
    }
    this.found['ten'] = outcomes;
    this.found['inReview'] = this.rows("SELECT DISTINCT path FROM file_changes WHERE path LIKE '%note%'").length;
  }

  /** Breaks an answer off once many words are shown, and compares what was shown, what is stored, and what the agent
   *  knows in the next request. */
  private async brokenOff(how: string, breakOff: () => Promise<unknown>): Promise<void> {
    const { server } = this;
    const text = `Please count for ${how}.`;
    server.planFor(text, { words: 500, cuts: false });
    const before = server.requests.length;
    this.seen = '';
    let letter = '';
    await this.prompt(text, () => {
      letter =
        server.requests.slice(before).find((one) => one.letter !== null && one.body.includes(text))?.letter ?? '';
      return letter !== '' && wordsIn(this.seen, letter).size >= fewestWords;
    });
    await breakOff();
    const settled = await waitFor('the end of the turn', async () => {
      const last = (await this.look()).at(-1);
      const isSettled = last !== undefined && ['saved', 'interrupted', 'failed'].includes(last.state);
      return isSettled && (await this.panel.button(/^Send$/).isVisible()) ? last : undefined;
    });
    const shown = wordsIn(this.seen, letter);
    const stored = this.storedWords(letter, text);
    const next = await this.next(`Please go on after ${how}.`);
    const sent = wordsInBody(next.body, letter);
    this.found[how] = {
      state: settled.state,
      shown: shown.size,
      lost: [...shown].filter((word) => !stored.includes(word)).length,
      doubled: stored.length - new Set(stored).size,
      inOrder: stored.every((word, index) => index === 0 || (stored[index - 1] ?? '') < word),
      gone: [...shown].filter((word) => !wordsIn(this.seenNow, letter).has(word)).length,
      inNextRequest: [...shown].filter((word) => sent.has(word)).length,
      ...next.found,
    };
  }
  private seenNow = '';

  private async reloaded(): Promise<void> {
    const before = new Map((await this.panel.messages()).map((message) => [message.uid, message.text]));
    this.panel = await this.panel.reload();
    const newest = [...before.keys()].at(-1);
    // The panel draws the newest page of a session first.
    const after = await waitFor('the messages again', async () => {
      const messages = await this.panel.messages();
      return messages.at(-1)?.uid === newest ? messages : undefined;
    });
    const isSame = after.every(({ uid, text }) => before.get(uid) === text);
    this.found['reload'] = { same: isSame, ...(await this.next('Please go on after the reload.')).found };
  }

  /** Sends a prompt, and says what the agent's model got with it. */
  private async next(text: string): Promise<{ readonly body: string; readonly found: object }> {
    const [before, asked] = [this.server.requests.length, this.asked];
    const answer = await this.prompt(text);
    const requests = this.server.requests.slice(before).filter((one) => one.letter !== null && one.body.includes(text));
    const body = requests.map((request) => request.body).join('\n');
    this.seenNow = (await this.panel.messages()).map((message) => message.text).join('\n');
    return {
      body,
      found: { knowsFirst: body.includes('Please do step 1.'), cards: this.asked - asked, next: answer?.state },
    };
  }

  /** Kills all processes of the agent. Returns their number. */
  private killAgent(): number {
    const pids = processesAtHome(this.home).filter((pid) => isAlive(pid));
    for (const pid of pids) signal(pid, 'SIGKILL');
    return pids.length;
  }

  private async killHost(): Promise<void> {
    const agents = processesAtHome(this.home);
    const pid = await this.vscode.extensionHostPid();
    await this.vscode.killExtensionHost();
    await this.vscode.waitForNewExtensionHost(pid);
    this.panel = await ChatPanel.attach(this.panel.workbench);
    await waitFor('the answer again', async () => (await this.look()).length > 0);
    this.found['agentsOfKilledHost'] = agents.length;
    await waitFor('the agents of the killed host to end', () => !agents.some((each) => isAlive(each)), {
      timeoutMs: 30_000,
    }).catch(() => (this.found['agentsLeft'] = agents.filter((each) => isAlive(each)).length));
  }

  /** Words of the answer to a prompt, in the order of its rows. */
  private storedWords(letter: string, prompt: string): readonly string[] {
    const after = `(SELECT position FROM messages WHERE role = 'user' AND content = '${prompt}')`;
    const rows = this.rows(
      `SELECT content FROM messages WHERE role = 'assistant' AND active = 1 AND position > ${after} ORDER BY position`,
    );
    const text = rows.map(({ content }) => String(content)).join('\n');
    return text.match(new RegExp(`\\b${letter}\\d{7}\\b`, 'g')) ?? [];
  }

  private rows(sql: string): ReturnType<typeof readStateDb> {
    return readStateDb(this.vscode.workspaceStorageFolders(EXTENSION_ID)[0] ?? '', sql);
  }
}
