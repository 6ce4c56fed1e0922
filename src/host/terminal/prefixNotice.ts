import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable';
import { t } from '../../base/translate';
import type { KeptValues } from '../../tools/programTrust';
import type { ApprovalSettings } from '../settings/approvalSettings';
import type { TerminalFeature } from './terminalFeature';

interface PrefixWindow {
  readonly settings: { readonly current: { readonly approvals: Pick<ApprovalSettings, 'matchesPrefixes'> } };
  readonly terminal: Pick<TerminalFeature, 'sandboxState' | 'onDidChangeSandbox'>;
  readonly context: { readonly globalState: KeptValues };
}

const toldKey = 'hermes.approvals.withoutSandbox.told';

/** Tells the user once what Hermes does not see when rules with a star count without a sandbox. */
export function notifyPrefixes({ settings, terminal, context }: PrefixWindow): Disposable {
  // Fires after every change of the settings too.
  return terminal.onDidChangeSandbox(() => {
    const { sandboxState } = terminal;
    const isUsed = settings.current.approvals.matchesPrefixes && sandboxState !== null && sandboxState.kind !== 'works';
    if (!isUsed || context.globalState.get(toldKey) === true) return;
    void context.globalState.update(toldKey, true);
    void vscode.window.showInformationMessage(
      t(
        'Rules that end in “*” now also allow commands that are not sandboxed. Hermes compares only the first words of a command. It doesn’t see what the other words do: flags can start other programs, read hidden files, or connect to other machines.',
      ),
    );
  });
}
