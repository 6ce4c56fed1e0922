import type * as v from 'valibot';
import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { problemOf } from './vscodeKnowledge';
import type { problemCall } from './problemCall';

/** "Fix with Hermes" and "Explain with Hermes" on problems, listed after the language extensions' own fixes. They
 *  only fill the composer. */
export class ProblemActions implements vscode.CodeActionProvider {
  static readonly kinds = [vscode.CodeActionKind.QuickFix];

  provideCodeActions(
    { uri }: vscode.TextDocument,
    range: vscode.Range,
    { diagnostics, only }: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    if (diagnostics.length === 0 || (only !== undefined && !only.contains(vscode.CodeActionKind.QuickFix))) return [];
    const first = Math.min(...diagnostics.map((diagnostic) => diagnostic.range.start.line));
    const last = Math.max(range.start.line, ...diagnostics.map((diagnostic) => diagnostic.range.end.line));
    const call: v.InferOutput<typeof problemCall> = {
      uri: uri.toString(),
      startLine: first,
      endLine: last,
      problems: diagnostics.map((diagnostic) => problemOf(uri, diagnostic)),
    };
    return [
      action(t('Fix with Hermes'), 'hermes.fixProblem', call, diagnostics),
      action(t('Explain with Hermes'), 'hermes.explainProblem', call, diagnostics),
    ];
  }
}

function action(
  title: string,
  command: string,
  call: v.InferOutput<typeof problemCall>,
  diagnostics: readonly vscode.Diagnostic[],
): vscode.CodeAction {
  const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  made.command = { title, command, arguments: [call] };
  made.diagnostics = [...diagnostics];
  return made;
}
