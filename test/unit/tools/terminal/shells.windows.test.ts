import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type Shell, shellInvocation } from '../../../../src/tools/terminal/shell';

const cmd: Shell = { path: 'cmd.exe', kind: 'cmd', name: 'cmd' };
const powershells: readonly Shell[] = [
  { path: 'powershell.exe', kind: 'powershell', name: 'powershell' },
  // Not part of Windows.
  ...(spawnSync('pwsh', ['-Version']).status === 0
    ? [{ path: 'pwsh', kind: 'powershell', name: 'pwsh' } as const]
    : []),
];

/** Runs as the product runs a command. */
function run(shell: Shell, command: string): { readonly code: number | null; readonly output: string } {
  const { program, args, verbatim } = shellInvocation(shell, command);
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', windowsVerbatimArguments: verbatim });
  return { code: status, output: stdout.trim().replaceAll('\r\n', '\n') };
}

const node = `"${process.execPath}"`;

describe.each(powershells.map((shell) => [shell.name, shell] as const))('a command in %s', (_name, shell) => {
  it.each([
    ['the last cmdlet succeeds', 'Write-Output "a `"b`" ä€"', { code: 0, output: 'a "b" ä€' }],
    ['a cmdlet fails', 'Get-Item ./not-there -ErrorAction SilentlyContinue', { code: 1, output: '' }],
    ['a program fails', `& ${node} -e "process.exit(7)"`, { code: 7, output: '' }],
    ['a program fails before a cmdlet succeeds', `& ${node} -e "process.exit(7)"; 'on'`, { code: 0, output: 'on' }],
    ['it ends itself', 'exit 5', { code: 5, output: '' }],
    ['it has several lines and a comment last', '$a = 1\n$a + 1 # two', { code: 0, output: '2' }],
  ])('has its exit code and output when %s', (_case, command, expected) => {
    expect(run(shell, command)).toEqual(expected);
  });
});

describe('a command in cmd', () => {
  it.each([
    ['quotes', 'echo "a b" ä', { code: 0, output: '"a b" ä' }],
    ['a failing program', `${node} -e "process.exit(7)"`, { code: 7, output: '' }],
    ['two commands', 'echo a && echo b', { code: 0, output: 'a \nb' }],
  ])('has its exit code and output with %s', (_case, command, expected) => {
    expect(run(cmd, command)).toEqual(expected);
  });
});
