import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock';
import { silentLog } from '../../../../src/base/log';
import { commandEnvironment, filledIn } from '../../../../src/tools/terminal/commandEnvironment';
import { LoginEnvironment } from '../../../../src/tools/terminal/loginEnvironment';
import { psRows } from '../../../../src/tools/terminal/processTable';
import { windowsProgram } from '../../../../src/base/windowsPrograms';
import { chooseShell, shellInvocation } from '../../../../src/tools/terminal/shell';
import { terminalTools } from '../../../../src/tools/terminal/runCommandTool';
import { TerminalWorld } from '../../../support/terminalWorld';
import { aToolCall } from '../../../support/toolCalls';

describe('the shell of commands', () => {
  const has =
    (...paths: string[]) =>
    (path: string): boolean =>
      paths.includes(path);
  it.each([
    ["the person's own", '/usr/bin/zsh', 'linux', has('/bin/bash'), '/usr/bin/zsh', 'posix'],
    [
      'bash in place of fish, which reads quotes in another way than the policy',
      '/usr/bin/fish',
      'linux',
      has('/bin/bash', '/bin/sh'),
      '/bin/bash',
      'posix',
    ],
    ['sh where there is no bash', '/usr/bin/nu', 'linux', has('/bin/sh'), '/bin/sh', 'posix'],
    ['sh where the editor knows none', '', 'darwin', has('/bin/sh'), '/bin/sh', 'posix'],
    [
      'PowerShell',
      'C:\\Program Files\\PowerShell\\7\\pwsh.exe',
      'win32',
      has(),
      'C:\\Program Files\\PowerShell\\7\\pwsh.exe',
      'powershell',
    ],
    ['cmd', 'C:\\WINDOWS\\System32\\cmd.exe', 'win32', has(), 'C:\\WINDOWS\\System32\\cmd.exe', 'cmd'],
    [
      'Git Bash on Windows',
      'C:\\Program Files\\Git\\bin\\bash.exe',
      'win32',
      has(),
      'C:\\Program Files\\Git\\bin\\bash.exe',
      'posix',
    ],
    [
      'PowerShell where the other is unknown',
      'C:\\tools\\nu.exe',
      'win32',
      has(),
      windowsProgram('WindowsPowerShell\\v1.0\\powershell.exe'),
      'powershell',
    ],
  ] as const)('is %s', (_, preferred, platform, exists, path, kind) =>
    expect(chooseShell(preferred, platform, exists)).toMatchObject({ path, kind }),
  );

  it('gets the command exactly as it was allowed', () => {
    expect(shellInvocation({ path: '/bin/bash', kind: 'posix', name: 'bash' }, 'a "$b" \'c\'\nd')).toEqual({
      program: '/bin/bash',
      args: ['-c', 'a "$b" \'c\'\nd'],
      verbatim: false,
    });
    expect(shellInvocation({ path: 'cmd.exe', kind: 'cmd', name: 'cmd' }, 'dir "a b"')).toEqual({
      program: 'cmd.exe',
      args: ['/d', '/s', '/c', '"chcp 65001>nul & dir "a b""'],
      verbatim: true,
    });
    const { args } = shellInvocation({ path: 'pwsh', kind: 'powershell', name: 'pwsh' }, 'Get-Item "a b" # it');
    expect([args.slice(0, 3), args[3]?.split('\n').slice(1)]).toEqual([
      ['-NoLogo', '-NonInteractive', '-Command'],
      ['Get-Item "a b" # it', 'if ($?) { exit 0 }; if ($LASTEXITCODE) { exit $LASTEXITCODE }; exit 1'],
    ]);
  });
});

describe('the environment of commands', () => {
  const parts = { login: {}, terminal: {}, python: null, secrets: [], platform: 'linux' } as const;

  it("is the user's, without what the editor set for itself, and with programs that could prompt turned off", () => {
    const login = {
      PATH: '/bin',
      NVM_DIR: '/n',
      ELECTRON_RUN_AS_NODE: '1',
      VSCODE_IPC_HOOK_CLI: '/s',
      GIT_ASKPASS: '/code/askpass.sh',
      CDPATH: '/elsewhere',
      TERM: 'xterm',
      PAGER: 'less',
      EDITOR: 'vi',
    };
    expect(commandEnvironment({ ...parts, login })).toEqual({
      PATH: '/bin',
      NVM_DIR: '/n',
      EDITOR: 'vi',
      TERM: 'dumb',
      PAGER: 'cat',
      GIT_PAGER: 'cat',
      GIT_EDITOR: 'true',
      GIT_TERMINAL_PROMPT: '0',
      npm_config_update_notifier: 'false',
    });
  });

  it('never holds one of our keys, under any name', () => {
    const login = {
      PATH: '/bin',
      OPENAI_API_KEY: 'sk-live-123456789',
      HEADER: 'Bearer sk-live-123456789',
      OTHER: 'sk-other',
      SHORT: 'abc',
    };
    expect(Object.keys(commandEnvironment({ ...parts, login, secrets: ['sk-live-123456789', 'abc', ''] }))).not.toEqual(
      expect.arrayContaining(['OPENAI_API_KEY']),
    );
    expect(commandEnvironment({ ...parts, login, secrets: ['sk-live-123456789', 'abc', ''] })).toMatchObject({
      OTHER: 'sk-other',
      SHORT: 'abc',
    });
    expect(JSON.stringify(commandEnvironment({ ...parts, login, secrets: ['sk-live-123456789'] }))).not.toContain(
      'sk-live',
    );
  });

  it('follows the settings of the terminal', () => {
    const login = { PATH: '/bin', DROP: 'x', Path: 'other' };
    expect(
      commandEnvironment({ ...parts, login, terminal: { DROP: null, NEW: 'y', PATH: '/mine:/bin' } }),
    ).toMatchObject({ PATH: '/mine:/bin', NEW: 'y', Path: 'other' });
    expect(
      commandEnvironment({ ...parts, login: { Path: 'C:\\w' }, terminal: { PATH: 'C:\\mine' }, platform: 'win32' }),
    ).toMatchObject({ Path: 'C:\\mine' });
    expect([
      filledIn('${env:PATH}:${workspaceFolder}/bin', { PATH: '/bin' }, '/w'),
      filledIn('${env:NONE}', {}, null),
      filledIn('${config:x}', {}, null),
    ]).toEqual(['/bin:/w/bin', '', undefined]);
  });

  it('has the activated Python environment first', () => {
    const login = { PATH: '/bin:/w/.venv/bin', PYTHONHOME: '/usr' };
    const environment = commandEnvironment({
      ...parts,
      login,
      python: { folder: '/w/.venv', programs: '/w/.venv/bin' },
    });
    expect([environment['PATH'], environment['VIRTUAL_ENV'], environment['PYTHONHOME']]).toEqual([
      '/w/.venv/bin:/bin',
      '/w/.venv',
      undefined,
    ]);
  });
});

describe("the environment of the user's shell", () => {
  let home: string;
  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-login-')));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const program = (text: string): string => {
    const path = join(home, 'shell');
    writeFileSync(path, `#!/bin/bash\n${text}`);
    chmodSync(path, 0o755);
    return path;
  };
  const own = (more: Record<string, string> = {}) => ({ PATH: process.env['PATH'] ?? '', HOME: home, ...more });
  const resolver = (environment: Record<string, string>, after = systemClock.after) =>
    new LoginEnvironment({
      node: process.execPath,
      own: environment,
      clock: { ...systemClock, after },
      log: silentLog,
    });

  it('is the result of its startup files, whatever they print', async () => {
    writeFileSync(join(home, '.bash_profile'), 'echo welcome; export FROM_PROFILE="two\nlines"; . ~/.bashrc');
    writeFileSync(join(home, '.bashrc'), 'export PATH="/my/tools:$PATH"; printf "\\0noise"');
    const environment = await resolver(own()).of({ path: '/bin/bash' });
    expect([
      environment['FROM_PROFILE'],
      environment['PATH']?.startsWith('/my/tools:'),
      environment['ELECTRON_RUN_AS_NODE'],
      environment['HERMES_COMMAND'],
    ]).toEqual(['two\nlines', true, undefined, undefined]);
  });

  it('is requested once', async () => {
    const count = join(home, 'count');
    writeFileSync(join(home, '.bash_profile'), `echo x >> ${count}`);
    const login = resolver(own());
    await Promise.all([login.of({ path: '/bin/bash' }), login.of({ path: '/bin/bash' })]);
    await login.of({ path: '/bin/bash' });
    expect(await import('node:fs').then((fs) => fs.readFileSync(count, 'utf8'))).toBe('x\n');
  });

  it.each([
    ['a shell that fails', 'exit 3'],
    ['a shell that says something else', 'echo {}'],
  ])("is the editor's own with %s", async (_, text) => {
    expect(await resolver(own({ MINE: '1' })).of({ path: program(text) })).toEqual(own({ MINE: '1' }));
  });

  it("is the editor's own with a shell that does not exist", async () => {
    expect(await resolver(own()).of({ path: join(home, 'none') })).toEqual(own());
  });

  it("is the editor's own with a shell that hangs, which is ended", async () => {
    const mark = join(home, 'alive');
    const soon: typeof systemClock.after = (delayMs, callback) =>
      systemClock.after(delayMs === 5000 ? 300 : delayMs, callback);
    expect(await resolver(own(), soon).of({ path: program(`sleep 1.5 && touch ${mark}`) })).toEqual(own());
    await new Promise((resolve) => setTimeout(resolve, 1800));
    expect(existsSync(mark)).toBe(false);
  });
});

describe('without /proc', () => {
  it('processes are read as ps lists them', () => {
    expect(
      psRows(
        '    1     0     1 Ss   /sbin/launchd\n  312     1   310 Z+   (bash)\n 4711   312   310 S    /Applications/My App/run it\n\n',
      ),
    ).toEqual([
      { pid: 1, parent: 0, group: 1, session: 1, name: 'launchd' },
      { pid: 4711, parent: 312, group: 310, session: 310, name: 'run it' },
    ]);
  });

  it.each([
    [
      'order',
      'for i in 1 2; do echo out$i; echo err$i >&2; done; exit 5',
      'failed: Exit code 5 after <time> in the open folder.\n\nout1\nerr1\nout2\nerr2',
    ],
    ['signals', 'kill -9 $$', 'failed: Ended by signal SIGKILL after <time> in the open folder.\n\n(no output)'],
  ])('commands keep their %s', async (_, command, said) => {
    const world = new TerminalWorld({ platform: 'darwin' });
    expect(await world.run(command)).toBe(said);
    await world.dispose();
  });

  it.each([
    ['a group', 'sleep 1000 & (sleep 1000 | cat) & echo up; wait'],
    ['a process that ignores SIGTERM', "trap '' TERM; echo up; while true; do sleep 1; done"],
    ['one that left the group but not its parent', 'setsid -w sleep 1000 & echo up; wait'],
  ])('%s is ended completely', async (_, command) => {
    const world = new TerminalWorld({ platform: 'darwin' });
    expect(await world.run(command, { timeout_seconds: 1 })).toMatch(
      /^failed: The command did not end within <time> and was ended/,
    );
    expect(world.leftovers()).toEqual([]);
    await world.dispose();
  });
});

describe('a folder that the user approved', () => {
  it('is the folder the command runs in, or nothing runs', async () => {
    const world = new TerminalWorld();
    try {
      symlinkSync(join(world.project, 'src'), join(world.project, 'here'));
      const signal = new AbortController().signal;
      const bound = terminalTools(world.deps)
        .find(({ name }) => name === 'run_command')
        ?.bind({ command: 'echo ran > ran.txt', cwd: 'here' });
      if (bound?.kind !== 'ready') return expect.unreachable();
      await bound.asks?.(signal);
      rmSync(join(world.project, 'here'));
      symlinkSync(world.home, join(world.project, 'here'));
      const { outcome, text } = await bound.run(signal, aToolCall());
      expect([outcome, text.split('. ')[1], existsSync(join(world.home, 'ran.txt'))]).toEqual([
        'failed',
        'Nothing was run',
        false,
      ]);
    } finally {
      await world.dispose();
    }
  });
});
