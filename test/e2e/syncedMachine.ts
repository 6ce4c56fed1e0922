import type { ModelServer } from '../support/modelServer';
import { reply } from '../support/modelServer';
import { readStateDb, type Row, type VscodeSession, type Workbench } from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { EXTENSION_ID } from './vscodeTest';

/** One of several machines: a VS Code with a home of its own. */
export class SyncedMachine {
  private constructor(
    readonly name: string,
    readonly session: VscodeSession,
    readonly workbench: Workbench,
    public panel: ChatPanel,
  ) {}

  static async open(name: string, session: VscodeSession): Promise<SyncedMachine> {
    const workbench = await session.open(session.sampleFolder());
    return new SyncedMachine(name, session, workbench, await ChatPanel.open(workbench));
  }

  /** Sets up sync as a user does, up to the name of the machine. `encryption`: answers what is asked of it. */
  async connect(url: string, encryption: (workbench: Workbench) => Promise<void>): Promise<void> {
    const { workbench, name } = this;
    await workbench.openAndAnswer(
      async () => {
        await workbench.runCommand('Hermes: Storage and History… › Set Up Sync…');
        await workbench.dialog().getByRole('button', { name: 'Continue' }).click();
      },
      /Connection string/,
      url,
    );
    await workbench.answerInput(/share their sessions/, 'Parcels');
    await encryption(workbench);
    await workbench.answerInput(/Name of this machine/, name);
    await workbench.dialog().waitFor();
  }

  async startSync(): Promise<void> {
    await this.workbench.dialog().getByRole('button', { name: 'Start Sync' }).click();
  }

  async ask(model: ModelServer, prompt: string, answer: string): Promise<void> {
    model.script(reply().says(answer));
    await this.panel.ask(prompt, answer);
  }

  async syncNow(): Promise<void> {
    await this.workbench.openPick('Hermes: Storage and History… › Sync Status…', /On the server|Not yet/);
    await this.workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Sync Now' }).click();
  }

  query(sql: string): readonly Row[] {
    return readStateDb(this.session.workspaceStorageFolders(EXTENSION_ID)[0] ?? '', sql);
  }
}
