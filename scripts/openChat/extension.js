// eslint-disable-next-line @typescript-eslint/no-require-imports -- an unbundled extension is CommonJS
const vscode = require('vscode');

/** The extension itself opens nothing by itself; a window that was opened to try it shows it at once. */
exports.activate = () => vscode.commands.executeCommand('hermes.focusChat');
