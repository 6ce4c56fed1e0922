import * as vscode from 'vscode';
import type { Translate } from '../../base/translate';

/** The editor's translator, for texts that are built without editor code. */
export const translate: Translate = (message, args) =>
  args === undefined ? vscode.l10n.t(message) : vscode.l10n.t(message, args);
