import { setTimeout as sleep } from 'node:timers/promises';
import { ChatPanel } from '../../test/e2e/chatPanel';
import { EXTENSION_ID } from '../../test/support/extensionId';
import { processesOf, signal, VscodeSession, waitFor } from '../../test/support/vscode';
import { answerWords, fewestWords, type TrialKind, type TrialResult } from './trialResult';
import { wordLength, WordServer } from './wordServer';
import { wordsBelow, wordsIn, wordsInBody } from './wordSearch';

/** The same trial with the packaged extension in a real VS Code. Shown is what its chat had on the screen at any
 *  time, stored what the folder has that VS Code gave the extension. */
export async function ourVscodeTrial(kind: TrialKind, vsix: string): Promise<TrialResult> {
  const server = await WordServer.start();
  const vscode = await VscodeSession.start({
    vsix: [vsix],
    settings: {
      'hermes.providers': [
        { name: 'Local', protocol: 'openai', baseUrl: `${server.url}/v1`, models: [{ id: 'test-model' }] },
      ],
      'hermes.model': 'Local/test-model',
    },
  });
  try {
    return await new VscodeTrial(kind, vscode, server).run();
  } finally {
    server.close();
    await vscode.dispose();
  }
}

class VscodeTrial {
  private readonly seen = new Set<string>();
  private panel!: ChatPanel;

  constructor(
    private readonly kind: TrialKind,
    private readonly vscode: VscodeSession,
    private readonly server: WordServer,
  ) {}

  async run(): Promise<TrialResult> {
    const { kind, server } = this;
    this.panel = await ChatPanel.open(await this.vscode.open(this.vscode.sampleFolder()));
    server.plan({ words: answerWords[kind], cuts: kind === 'cut' });
    await this.panel.send('Please count parcels.');
    const { letter } = await waitFor('a request', () => server.requestsWith('count parcels')[0]);
    const answer = letter ?? '';
    await waitFor('words in the chat', async () => (await this.look(answer)) >= fewestWords);
    await this.lookFor(Math.random() * 2000, answer);
    if (kind === 'kill') {
      // All of VS Code but the browser, which is its screen.
      for (const { pid, command } of processesOf(this.vscode.root)) if (!/chrom/i.test(command)) signal(pid, 'SIGKILL');
      await this.lookFor(500, answer);
      return { ...this.result(answer), sentAgain: null, retries: 0 };
    }
    if (kind === 'stop') {
      await this.panel.composer.press('Escape');
      await waitFor('the end of the answer', () => server.brokenOff > 0);
    }
    await waitFor('the end of the turn', async () => {
      await this.look(answer);
      return this.panel.button(/^Send$/).isVisible();
    });
    const retries = server.requestsWith('count parcels').length - 1;
    const kept = this.result(answer);
    await this.panel.send('Please go on now.');
    const next = await waitFor('the next request', () => server.requestsWith('go on now')[0]);
    const sent = wordsInBody(next.body, answer);
    return { ...kept, sentAgain: wordLength * [...this.seen].filter((word) => sent.has(word)).length, retries };
  }

  /** Looks at the chat for a time, as its newest words may be gone from it later. */
  private async lookFor(ms: number, letter: string): Promise<void> {
    const end = Date.now() + ms;
    while (Date.now() < end) {
      await this.look(letter);
      await sleep(20);
    }
    await this.look(letter);
  }

  private async look(letter: string): Promise<number> {
    const text = (await this.panel.answers()).map((answer) => answer.text).join('\n');
    for (const word of wordsIn(text, letter)) this.seen.add(word);
    return this.seen.size;
  }

  private result(letter: string): Pick<TrialResult, 'shown' | 'lost'> {
    const [folder] = this.vscode.workspaceStorageFolders(EXTENSION_ID);
    if (folder === undefined) throw new Error('VS Code gave the extension no folder');
    const stored = wordsBelow(folder, letter);
    return {
      shown: wordLength * this.seen.size,
      lost: wordLength * [...this.seen].filter((word) => !stored.has(word)).length,
    };
  }
}
