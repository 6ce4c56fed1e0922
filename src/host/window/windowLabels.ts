import { hostname } from 'node:os';
import * as vscode from 'vscode';

/** Words for the person in the editor's language; `{name}` stands for an argument. */
export function translate(message: string, args?: Record<string, string>): string {
  return args === undefined ? vscode.l10n.t(message) : vscode.l10n.t(message, args);
}

/** Where local servers are looked for: in a remote window that is not the machine the person sits at. */
export function thisMachine(): string {
  return vscode.env.remoteName === undefined
    ? vscode.l10n.t('this machine')
    : vscode.l10n.t('the remote machine ({name})', { name: hostname() });
}
