import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Emitter } from '../../../../src/base/disposable';
import { silentLog } from '../../../../src/base/log';
import { MirrorFeed } from '../../../../src/host/terminal/mirrorTerminal';
import { OutputRetention } from '../../../../src/host/terminal/outputRetention';
import { environmentOf } from '../../../../src/host/terminal/terminalFeature';
import { terminalVariables, variablesSetting } from '../../../../src/host/terminal/terminalVariables';
import { OutputFolder } from '../../../../src/tools/terminal/outputFolder';
import { isReadOnlyCommand } from '../../../../src/host/terminal/terminalFeature';
import { RunningCommands } from '../../../../src/tools/terminal/runningCommands';
import { session } from '../../../support/builders/viewMessages';
import { ManualClock } from '../../../support/manualClock';

describe('the output passed to the terminal', () => {
  const feedOf = (clock: ManualClock) => new MirrorFeed(clock, (count) => `${count} skipped`);

  it('is everything from before the terminal was shown, then new output, in order', () => {
    const clock = new ManualClock();
    const feed = feedOf(clock);
    const written: string[] = [];
    feed.add('one\ntwo\r\n');
    clock.advance(1000);
    feed.open((text) => written.push(text));
    feed.add('three');
    feed.add('\n');
    clock.advance(1000);
    expect(written).toEqual(['one\r\ntwo\r\n', 'three\r\n']);
  });

  it('is the end of output that arrives too fast, with a note', () => {
    const clock = new ManualClock();
    const feed = feedOf(clock);
    const written: string[] = [];
    feed.open((text) => written.push(text));
    for (let index = 0; index < 100; index++) feed.add(String(index % 10).repeat(1000));
    clock.advance(1000);
    expect(written).toHaveLength(1);
    expect(written[0]?.startsWith('\r\n\u001b[0;2m34464 skipped\u001b[0m\r\n')).toBe(true);
    expect(written[0]?.endsWith('9'.repeat(1000))).toBe(true);
  });
});

describe('terminal variables', () => {
  it('are applied as far as they can be parsed', () => {
    expect(
      terminalVariables(
        { globalValue: { A: 'x', B: null, C: '${env:HOME}/c', D: '${config:d}', E: 1 } },
        { HOME: '/h' },
        null,
      ),
    ).toEqual({ A: 'x', B: null, C: '/h/c', E: '1' });
    expect([terminalVariables({ globalValue: 'none' }, {}, null), terminalVariables(undefined, {}, null)]).toEqual([
      {},
      {},
    ]);
    expect((['linux', 'darwin', 'win32'] as const).map(variablesSetting)).toEqual(
      ['linux', 'osx', 'windows'].map((name) => `terminal.integrated.env.${name}`),
    );
  });
});

describe('terminal variables of a container, which its repository may set', () => {
  const of = (values: object) =>
    terminalVariables({ globalValue: values }, { SECRET_KEY: 's', HOME: '/h' }, '/w', true);

  it('decide nothing about what runs, and get no credentials', () => {
    const deciding = { PATH: '/evil', LD_PRELOAD: 'x', NODE_OPTIONS: 'x', GIT_SSH_COMMAND: 'x', BASH_ENV: 'x' };
    expect(of({ ...deciding, MODE: 'test', AT: '${env:HOME}', LEAK: 'x${env:SECRET_KEY}' })).toEqual({
      MODE: 'test',
      AT: '/h',
      LEAK: 'x',
    });
  });
});

describe('terminal variables that a workspace sets', () => {
  const brought = (values: object, environment = {}) =>
    terminalVariables(
      {
        globalValue: { PATH: '/mine', MODE: 'mine', DROPPED: 'mine' },
        workspaceValue: values,
        workspaceFolderValue: values,
      },
      environment,
      '/w',
    );

  it.each([
    'PATH',
    'Path',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'DYLD_INSERT_LIBRARIES',
    'GIT_CONFIG_COUNT',
    'GIT_SSH_COMMAND',
    'BASH_ENV',
    'ENV',
    'ZDOTDIR',
    'IFS',
    'HOME',
    'NODE_OPTIONS',
    'NODE_PATH',
    'NODE_EXTRA_CA_CERTS',
    'PYTHONPATH',
    'PYTHONSTARTUP',
    'PERL5LIB',
    'PERL5OPT',
    'RUBYOPT',
    'RUBYLIB',
    'GEM_HOME',
    'JAVA_TOOL_OPTIONS',
    'npm_config_script_shell',
    'HTTPS_PROXY',
    'SSL_CERT_FILE',
    'ComSpec',
    'PATHEXT',
    'PSModulePath',
    'VIRTUAL_ENV',
    'EDITOR',
    'RIPGREP_CONFIG_PATH',
    'BASH_FUNC_ls%%',
  ])('never decide which program runs: %s', (name) => {
    expect([brought({ [name]: '/w/bin' }), brought({ [name]: null })]).toEqual([
      { PATH: '/mine', MODE: 'mine', DROPPED: 'mine' },
      { PATH: '/mine', MODE: 'mine', DROPPED: 'mine' },
    ]);
  });

  it("otherwise apply, before the user's own, and hold no credential of the user's", () => {
    const environment = { HOME: '/h', GITHUB_TOKEN: 'secret' };
    expect(brought({ MODE: '${env:HOME}/test', DROPPED: null, STOLEN: '${env:GITHUB_TOKEN}' }, environment)).toEqual({
      PATH: '/mine',
      MODE: '/h/test',
      DROPPED: null,
      STOLEN: '',
    });
  });
});

describe('a Python environment', () => {
  it('is found by its folder and by its interpreter, and is none without its marker file', () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-python-')));
    mkdirSync(join(home, 'venv', 'bin'), { recursive: true });
    writeFileSync(join(home, 'venv', 'pyvenv.cfg'), '');
    const expected = { folder: join(home, 'venv'), programs: join(home, 'venv', 'bin') };
    expect(
      [join(home, 'venv'), join(home, 'venv', 'bin', 'python'), '/usr/bin/python3', 'python'].map(environmentOf),
    ).toEqual([expected, expected, null, null]);
    rmSync(home, { recursive: true, force: true });
  });
});

describe('command outputs', () => {
  it('are removed with their erased session, and stay for a session that exists or cannot be looked up', async () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-care-')));
    const outputs = new OutputFolder(() => home, { now: () => 0 });
    for (const conversationId of ['erased', 'kept', 'unknown'])
      await (await outputs.create({ conversationId, turnUid: 't', callId: 'c' })).close();
    const changes = new Emitter<readonly string[]>();
    const asked: string[] = [];
    const getSession = async (id: string) => {
      asked.push(id);
      if (id === 'unknown') throw new Error('elsewhere');
      return id === 'erased' ? null : session({ id });
    };
    const care = new OutputRetention(outputs, new RunningCommands(), {
      history: { store: { getSession } },
      gateway: { surfaces: { onDidChangeSessions: changes.event } },
      clock: new ManualClock(),
      log: silentLog,
    });
    changes.fire(['kept', 'without outputs', 'erased', 'unknown']);
    await vi.waitFor(async () => expect([...(await outputs.conversations())].sort()).toEqual(['kept', 'unknown']));
    expect(asked).not.toContain('without outputs');
    care.dispose();
    rmSync(home, { recursive: true, force: true });
  });

  it('are removed a minute after the start if their session was erased meanwhile, unless the store knows none of them', async () => {
    const swept = async (known: readonly string[]): Promise<readonly string[]> => {
      const home = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-care-')));
      const clock = new ManualClock();
      const outputs = new OutputFolder(() => home, clock);
      for (const conversationId of ['20260101_101010_aaaaaa', '20260101_101010_bbbbbb', 'of-another-program'])
        await (await outputs.create({ conversationId, turnUid: 't', callId: 'c' })).close();
      let tidied = (): void => undefined;
      const done = new Promise<void>((resolve) => (tidied = resolve));
      const tidy = outputs.tidy.bind(outputs);
      outputs.tidy = (isInUse) => tidy(isInUse).finally(tidied);
      const store = { getSession: async (id: string) => (known.includes(id) ? session({ id }) : null) };
      const care = new OutputRetention(outputs, new RunningCommands(), {
        history: { store },
        gateway: { surfaces: { onDidChangeSessions: new Emitter<readonly string[]>().event } },
        clock,
        log: silentLog,
      });
      clock.advance(60_000);
      await done;
      const left = [...(await outputs.conversations())].sort();
      care.dispose();
      rmSync(home, { recursive: true, force: true });
      return left;
    };
    expect([await swept(['20260101_101010_bbbbbb']), await swept([])]).toEqual([
      ['20260101_101010_bbbbbb', 'of-another-program'],
      ['20260101_101010_aaaaaa', '20260101_101010_bbbbbb', 'of-another-program'],
    ]);
  });
});

describe('a command that needs no checkpoint', () => {
  it.each([
    ['ls -la', true],
    ['git status && git diff', true],
    ['cd src && cat a.ts | head -n 3', true],
    ['ls > files', false],
    ['npm test', false],
    ['ls; rm a', false],
    ['ls $(touch a)', false],
    ['X=1 ls', false],
    ['', false],
    ['cat <<E\n$(touch a)\nE', false],
    ["echo 'unclosed", false],
  ])('%s: %s', (command, expected) => expect(isReadOnlyCommand(command)).toBe(expected));
});
