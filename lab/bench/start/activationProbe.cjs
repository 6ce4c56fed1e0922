/* eslint-disable @typescript-eslint/no-require-imports -- VS Code loads test entries as CommonJS. */
// Runs inside a real extension host and writes what VS Code itself measured of our activation, in milliseconds.
const fs = require('node:fs');
const vscode = require('vscode');

const { publisher, name } = require('../../../scripts/identity.json');

const id = `${publisher}.${name}`;

exports.run = async () => {
  const extension = vscode.extensions.getExtension(id);
  if (!extension) throw new Error(`${id} is not there`);
  await extension.activate();
  await vscode.commands.executeCommand('perfview.show');
  const row = await activationRow();
  // | extension | eager | load code | call activate | finish activate | …
  const [, , , load, call, finish] = row.split('|').map((cell) => cell.trim());
  await new Promise((resolve) => setTimeout(resolve, Number(process.env.HERMES_TEST_STAY ?? 0)));
  fs.writeFileSync(
    process.env.HERMES_TEST_REPORT ?? '',
    JSON.stringify({ load: Number(load), call: Number(call), finish: Number(finish) }),
  );
};

async function activationRow() {
  for (let attempt = 0; attempt < 60; attempt++) {
    const report = vscode.workspace.textDocuments.find((document) => document.uri.scheme === 'perf')?.getText() ?? '';
    const row = report.split('\n').find((line) => line.includes(id) && line.startsWith('|'));
    if (row) return row;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error('VS Code’s own performance report does not name the extension');
}
