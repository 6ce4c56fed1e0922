#!/usr/bin/env node
/** The `code` stand-in as a program, for `vscodeExecutablePath` of @vscode/test-electron. */
import { importTypeScript } from '../../../scripts/typescriptModule.mjs';

const { runSuite } = await importTypeScript('test/support/vscode/codeStandIn.ts');
const code = await runSuite(process.argv.slice(2), (line) => console.log(line));
process.exit(code);
