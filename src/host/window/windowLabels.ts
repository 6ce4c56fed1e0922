import { hostname } from 'node:os';
import * as vscode from 'vscode';

/** Name of the machine on which local servers are searched. In a remote window, that is not the user's own machine. */
export function thisMachine(): string {
  return vscode.env.remoteName === undefined
    ? vscode.l10n.t('this machine')
    : vscode.l10n.t('the remote machine ({name})', { name: hostname() });
}
