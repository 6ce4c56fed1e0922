import { win32 } from 'node:path';
import { windowsProgram } from '../../base/windowsPrograms';
import type { ShellKind } from '../../transcript/approval';

/** Program that runs the commands. */
export interface Shell {
  readonly path: string;
  readonly kind: ShellKind;
  /** Name for the model: "bash". */
  readonly name: string;
}

/** Program and arguments for one command. */
export interface ShellInvocation {
  readonly program: string;
  readonly args: readonly string[];
  /** True when arguments are passed unquoted, because the program parses its command line by its own rules (cmd). */
  readonly verbatim: boolean;
}

/** Shells that parse a command as POSIX says. Models write commands that way, and the approval policy parses them
 *  that way. fish, tcsh, nu, and others quote differently: one harmless word to the policy could be a second command
 *  to them. */
const posixShells = new Set(['bash', 'dash', 'sh', 'zsh', 'ksh', 'ksh93', 'mksh', 'ash']);
const powershells = new Set(['pwsh', 'powershell']);

/** Chooses the shell for commands: the user's own, or, if that is not supported, the first of `others` that exists. */
export function chooseShell(preferred: string, platform: NodeJS.Platform, exists: (path: string) => boolean): Shell {
  const own = describeShell(preferred);
  if (own !== null && (own.kind !== 'cmd' || platform === 'win32')) return own;
  const others =
    platform === 'win32'
      ? [windowsProgram('WindowsPowerShell\\v1.0\\powershell.exe')]
      : ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/bin/sh'];
  const found = platform === 'win32' ? others[0] : others.find(exists);
  return describeShell(found ?? '/bin/sh') ?? { path: '/bin/sh', kind: 'posix', name: 'sh' };
}

/** Program and arguments that make the shell run one command and exit. */
export function shellInvocation(shell: Shell, command: string): ShellInvocation {
  switch (shell.kind) {
    case 'posix':
      return { program: shell.path, args: ['-c', command], verbatim: false };
    case 'powershell':
      return {
        program: shell.path,
        args: ['-NoLogo', '-NonInteractive', '-Command', powershellScript(command)],
        verbatim: false,
      };
    case 'cmd':
      // Output in UTF-8, whatever the code page of the console.
      return { program: shell.path, args: ['/d', '/s', '/c', `"chcp 65001>nul & ${command}"`], verbatim: true };
    default:
      return shell.kind satisfies never;
  }
}

function describeShell(path: string): Shell | null {
  // Accepts both kinds of slashes.
  const name = win32
    .basename(path)
    .toLowerCase()
    .replace(/\.exe$/, '');
  if (posixShells.has(name)) return { path, kind: 'posix', name };
  if (powershells.has(name)) return { path, kind: 'powershell', name };
  return name === 'cmd' ? { path, kind: 'cmd', name } : null;
}

/** Exits as other shells do: with 0 when the last command succeeded, else with its exit code, which a cmdlet doesn't
 *  have. `$?` is read first because every statement sets it (about_Automatic_Variables). */
function powershellScript(command: string): string {
  const before = "[Console]::OutputEncoding = [Text.Encoding]::UTF8; $ProgressPreference = 'SilentlyContinue'";
  return `${before}\n${command}\nif ($?) { exit 0 }; if ($LASTEXITCODE) { exit $LASTEXITCODE }; exit 1`;
}
