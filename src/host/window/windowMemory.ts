import * as vscode from 'vscode';
import type { Log } from '../../base/log';
import { t } from '../../base/translate';
import { MemoryProviders } from '../../memory/memoryProviders';
import { Slot } from '../common/slot';

/** A kind of memory that a feature offers. */
export interface MemoryChoice {
  /** Value of `hermes.memory.provider`. */
  readonly provider: string;
  readonly label: string;
  readonly detail: string;
  /** Sets it up. Canceling at any step changes nothing. */
  choose(): Promise<void>;
}

interface MemorySettings {
  readonly current: { readonly memoryProvider: string };
  saveMemoryProvider(provider: 'builtin' | 'none'): Promise<void>;
}

/** Memory of one window: the providers of features and other extensions, and the choice among them. */
export class WindowMemory {
  readonly providers: MemoryProviders;
  /** Memory on this machine, and on a server, which features offer. */
  readonly local = new Slot<MemoryChoice>();
  readonly server = new Slot<MemoryChoice>();

  constructor(
    private readonly settings: MemorySettings,
    log: Log,
  ) {
    this.providers = new MemoryProviders(() => this.chosen, log);
  }

  /** Runs Set Up Memory…: chooses memory on this machine, on a server, or none. Canceling at any step changes
   *  nothing. */
  async setUp(): Promise<void> {
    const { chosen } = this;
    const choices = this.choices;
    if (choices.every(({ provider }) => provider !== chosen))
      choices.push({
        provider: chosen,
        label: chosen,
        detail: t('Provided by another extension.'),
        choose: () => Promise.resolve(),
      });
    const items = choices.map((choice) => ({
      label: choice.label,
      detail: choice.detail,
      ...(choice.provider === chosen ? { description: t('current') } : {}),
      choice,
    }));
    const picked = await vscode.window.showQuickPick(items, {
      title: t('Set Up Memory'),
      placeHolder: t('Choose what Hermes remembers across sessions'),
    });
    await picked?.choice.choose();
  }

  /** Writes the user's setting. `done`: sentence about the change. */
  async use(provider: 'builtin' | 'none', done: string): Promise<void> {
    if (provider === this.chosen) return;
    await this.settings.saveMemoryProvider(provider);
    void vscode.window.showInformationMessage(done);
  }

  private get chosen(): string {
    return this.settings.current.memoryProvider;
  }

  private get choices(): MemoryChoice[] {
    const off = {
      provider: 'none',
      label: t('Off'),
      detail: t('Nothing is remembered from one session to the next.'),
      choose: () => this.use('none', t('Memory is off, starting with your next prompt. Existing notes are kept.')),
    };
    return [this.local.current, this.server.current, off].filter((choice) => choice !== null);
  }
}
