import { hostname } from 'node:os';
import * as vscode from 'vscode';

/** Where local servers are looked for: in a remote window that is not the machine the person sits at. */
export function thisMachine(): string {
  return vscode.env.remoteName === undefined
    ? vscode.l10n.t('this machine')
    : vscode.l10n.t('the remote machine ({name})', { name: hostname() });
}
