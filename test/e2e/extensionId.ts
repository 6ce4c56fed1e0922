/** The extension under test, as VS Code names it. */
export const EXTENSION_ID = 'hermes-vscode.hermes-vscode';
