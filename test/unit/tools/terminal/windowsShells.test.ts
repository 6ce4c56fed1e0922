import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type Shell, shellInvocation } from '../../../../src/tools/terminal/shell';

/** Windows shells that this machine has. PowerShell 7 runs on the other systems too. */
const shells: readonly Shell[] = [
  { path: 'pwsh', kind: 'powershell', name: 'pwsh' },
  { path: 'powershell.exe', kind: 'powershell', name: 'powershell' },
  { path: 'cmd.exe', kind: 'cmd', name: 'cmd' },
];

function exists({ path, kind }: Shell): boolean {
  try {
    execFileSync(path, kind === 'cmd' ? ['/d', '/c', 'exit 0'] : ['-NoLogo', '-Command', 'exit 0'], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

/** Runs as the product runs a command. */
function run(shell: Shell, command: string): { readonly code: number | null; readonly output: string } {
  const { program, args, verbatim } = shellInvocation(shell, command);
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', windowsVerbatimArguments: verbatim });
  return { code: status, output: stdout.trim().replaceAll('\r\n', '\n') };
}

const node = `"${process.execPath}"`;

describe.each(shells.filter(({ kind }) => kind === 'powershell').map((shell) => [shell.name, shell] as const))(
  'a command in %s',
  (_name, shell) => {
    it.skipIf(!exists(shell)).each([
      ['the last cmdlet succeeds', 'Write-Output "a `"b`" ä€"', { code: 0, output: 'a "b" ä€' }],
      ['a cmdlet fails', 'Get-Item ./not-there -ErrorAction SilentlyContinue', { code: 1, output: '' }],
      ['a program fails', `& ${node} -e "process.exit(7)"`, { code: 7, output: '' }],
      ['a program fails before a cmdlet succeeds', `& ${node} -e "process.exit(7)"; 'on'`, { code: 0, output: 'on' }],
      ['it ends itself', 'exit 5', { code: 5, output: '' }],
      ['it has several lines and a comment last', '$a = 1\n$a + 1 # two', { code: 0, output: '2' }],
    ])('has its exit code and output when %s', (_case, command, expected) => {
      expect(run(shell, command)).toEqual(expected);
    });
  },
);

describe('a command in cmd', () => {
  const cmd: Shell = { path: 'cmd.exe', kind: 'cmd', name: 'cmd' };
  it.skipIf(!exists(cmd)).each([
    ['quotes', 'echo "a b" ä', { code: 0, output: '"a b" ä' }],
    ['a failing program', `${node} -e "process.exit(7)"`, { code: 7, output: '' }],
    ['two commands', 'echo a && echo b', { code: 0, output: 'a \nb' }],
  ])('has its exit code and output with %s', (_case, command, expected) => {
    expect(run(cmd, command)).toEqual(expected);
  });
});
