import * as vscode from 'vscode';
import { t } from '../../base/translate';
import type { Slot } from '../common/slot';

/** A kind of memory that a feature offers. */
export interface MemoryChoice {
  /** Value of `hermes.memory.provider`. */
  readonly provider: string;
  readonly label: string;
  readonly detail: string;
  /** Sets it up. Canceling at any step changes nothing. */
  choose(): Promise<void>;
}

interface MemorySetupDeps {
  /** Value of `hermes.memory.provider`. */
  readonly current: () => string;
  /** Writes the user's setting. */
  readonly save: (provider: 'builtin' | 'none') => Promise<void>;
  readonly server: Slot<MemoryChoice>;
}

/** Runs Set Up Memory…: chooses built-in memory, a server for long-term memory, or none. Canceling at any step changes
 *  nothing. */
export class MemorySetup {
  constructor(private readonly deps: MemorySetupDeps) {}

  async run(): Promise<void> {
    const current = this.deps.current();
    const choices = this.choices(current);
    if (choices.every(({ provider }) => provider !== current))
      choices.push({
        provider: current,
        label: current,
        detail: t('Provided by another extension.'),
        choose: () => Promise.resolve(),
      });
    const items = choices.map((choice) => ({
      label: choice.label,
      detail: choice.detail,
      ...(choice.provider === current ? { description: t('current') } : {}),
      choice,
    }));
    const picked = await vscode.window.showQuickPick(items, {
      title: t('Set Up Memory'),
      placeHolder: t('Choose what Hermes remembers across sessions'),
    });
    await picked?.choice.choose();
  }

  private choices(current: string): MemoryChoice[] {
    const save = async (provider: 'builtin' | 'none', done: string): Promise<void> => {
      if (provider === current) return;
      await this.deps.save(provider);
      void vscode.window.showInformationMessage(done);
    };
    const server = this.deps.server.current;
    return [
      {
        provider: 'builtin',
        label: t('Built-in'),
        detail: t('Short notes about you and your projects, in files on this machine.'),
        choose: () => save('builtin', t('Built-in memory is on, starting with your next prompt.')),
      },
      ...(server === null ? [] : [server]),
      {
        provider: 'none',
        label: t('Off'),
        detail: t('Nothing is remembered from one session to the next.'),
        choose: () => save('none', t('Memory is off, starting with your next prompt. Existing notes are kept.')),
      },
    ];
  }
}
