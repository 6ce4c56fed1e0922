import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { allowRuleProblem, denyRuleProblem } from '../../../../src/tools/approval/ruleText';
import { shownLine } from '../../../../src/tools/approval/rulesPolicy';
import { changeReasons, isSecret } from '../../../../src/tools/pathTreatment';
import type { JudgedAccess } from '../../../../src/tools/tool';
import { PolicyWorld } from './policyWorld';

let world: PolicyWorld;

beforeEach(() => void (world = new PolicyWorld()));
afterEach(() => world.dispose());

const mcp = (readOnly: boolean): JudgedAccess => ({ kind: 'mcp', server: 'files', tool: 'write', readOnly });
const editorTool: JudgedAccess = { kind: 'editorTool', name: 'other_tool' };

describe('reading', () => {
  it.each([
    ['src/a.ts', 'allow'],
    ['source/a.ts', 'allow'],
    ['package.json', 'allow'],
    ['.vscode/settings.json', 'allow'],
    ['.git/HEAD', 'allow'],
    ['AGENTS.md', 'allow'],
    ['.github/workflows/ci.yml', 'allow'],
    ['.env', 'ask sensitive [read(.env)]'],
    ['.ENV', 'ask sensitive [read(.ENV)]'],
    ['.env.local', 'ask sensitive [read(.env.local)]'],
    ['example.txt', 'ask sensitive [read(.env)]'],
    ['src/server.pem', 'ask sensitive [read(src/server.pem)]'],
    ['id_rsa', 'ask sensitive [read(id_rsa)]'],
    ['id_ed25519.bak', 'ask sensitive [read(id_ed25519.bak)]'],
    ['.npmrc', 'ask sensitive [read(.npmrc)]'],
    ['.aws/credentials', 'ask sensitive [read(.aws/credentials)]'],
    ['db.kdbx', 'ask sensitive [read(db.kdbx)]'],
    ['notes.txt', 'ask outside sensitive [read(~/.ssh/id_rsa)]'],
    ['link/plain.txt', 'ask outside [read(<out>/plain.txt)]'],
    ['../out/plain.txt', 'ask outside [read(<out>/plain.txt)]'],
    ['<home>/.config/foo/x', 'ask outside [read(~/.config/foo/x)]'],
    ['/etc/passwd', 'ask outside [read(/etc/passwd)]'],
    ['.env::$DATA', 'ask sensitive [read(.env::$DATA)]'],
    ['.env. ', 'ask sensitive [read(.env.[ ])]'],
  ])('%s: %s', (file, expected) => {
    expect(world.read(file)).toBe(expected);
  });

  it('of several is as strict as the strictest, and names them all', () => {
    expect(world.read('src/a.ts', '.env', '../out/plain.txt')).toBe(
      'ask sensitive outside [read(.env); read(<out>/plain.txt)]',
    );
  });

  it('of the output of commands of the same conversation is allowed', () => {
    const policy = world.policy({
      isOwnOutput: (path, conversationId) => path.startsWith(`/outputs/${conversationId}/`),
    });
    const asked = {
      access: { kind: 'read', paths: [{ path: '/outputs/c1/1.log', shown: '/outputs/c1/1.log', isInside: false }] },
    } as const;
    const verdicts = [{ conversationId: 'c1' }, { conversationId: 'c2' }, {}].map(
      (whose) => policy.judge({ tool: 'read_file', mode: 'ask', sessionRules: [], asked, ...whose }).kind,
    );
    expect(verdicts).toEqual(['allow', 'ask', 'ask']);
    world.deny = ['read(/outputs/**)'];
    expect(policy.judge({ tool: 'read_file', mode: 'ask', sessionRules: [], asked, conversationId: 'c1' }).kind).toBe(
      'deny',
    );
    world.deny = ['read('];
    expect(policy.judge({ tool: 'read_file', mode: 'ask', sessionRules: [], asked, conversationId: 'c1' }).kind).toBe(
      'ask',
    );
    world.deny = [];
  });
});

describe('changing', () => {
  it.each([
    ['ask', 'src/a.ts', 'ask change [edit(src/a.ts)]'],
    ['auto', 'src/a.ts', 'allow'],
    ['plan', 'src/a.ts', 'deny: Plan mode: only looking is allowed. Present a plan with exit_plan_mode.'],
    ['auto', 'new/deep/file.ts', 'allow'],
    ['auto', 'source/new.ts', 'allow'],
    ['auto', '.git/config', 'ask sensitive repositoryInternals once'],
    ['auto', '.GIT/hooks/post-merge', 'ask repositoryInternals once'],
    ['auto', '.husky/pre-commit', 'ask repositoryInternals once'],
    ['auto', 'lib/.git', 'ask repositoryInternals once'],
    ['auto', 'bare/HEAD', 'ask repositoryInternals once'],
    ['auto', 'GIT~1/config', 'ask repositoryInternals once'],
    ['auto', '.g\u200cit/config', 'ask sensitive repositoryInternals once'],
    ['auto', '.vscode/tasks.json', 'ask dotConfig [edit(.vscode/tasks.json)]'],
    ['auto', '.idea/x.xml', 'ask dotConfig [edit(.idea/x.xml)]'],
    ['auto', '.devcontainer/devcontainer.json', 'ask dotConfig [edit(.devcontainer/devcontainer.json)]'],
    ['auto', '.github/workflows/ci.yml', 'ask dotConfig [edit(.github/workflows/ci.yml)]'],
    ['auto', '.github/CODEOWNERS', 'allow'],
    ['auto', '.claude/settings.json', 'ask dotConfig [edit(.claude/settings.json)]'],
    ['auto', '.cursor/rules/a.mdc', 'ask dotConfig [edit(.cursor/rules/a.mdc)]'],
    ['auto', 'AGENTS.md', 'ask dotConfig [edit(AGENTS.md)]'],
    ['auto', 'src/claude.md', 'ask dotConfig [edit(src/claude.md)]'],
    ['auto', '.cursorrules', 'ask dotConfig [edit(.cursorrules)]'],
    ['auto', 'skills/x/SKILL.md', 'ask dotConfig [edit(skills/x/SKILL.md)]'],
    ['auto', '.npmrc', 'ask sensitive [edit(.npmrc)]'],
    ['auto', '.yarnrc', 'ask sensitive [edit(.yarnrc)]'],
    ['auto', '.pnpmfile.cjs', 'ask dotConfig [edit(.pnpmfile.cjs)]'],
    ['auto', '.envrc', 'ask sensitive [edit(.envrc)]'],
    ['auto', '.bashrc', 'ask dotConfig [edit(.bashrc)]'],
    ['auto', '.mcp.json', 'ask sensitive dotConfig [edit(.mcp.json)]'],
    ['auto', 'node_modules/.bin/tsc', 'ask dotConfig [edit(node_modules/.bin/tsc)]'],
    ['auto', '.env', 'ask sensitive [edit(.env)]'],
    ['auto', 'key.pem', 'ask sensitive [edit(key.pem)]'],
    ['auto', '../out/x', 'ask outside [edit(<out>/x)]'],
    ['auto', 'link/x', 'ask outside [edit(<out>/x)]'],
    ['auto', 'notes.txt', 'ask outside sensitive [edit(~/.ssh/id_rsa)]'],
    ['auto', '<home>/.bashrc', 'ask outside dotConfig [edit(~/.bashrc)]'],
    ['ask', 'a*[b]?.ts', 'ask change [edit(a[*][[]b][?].ts)]'],
  ] as const)('%s: %s: %s', (mode, file, expected) => {
    expect(world.edit(mode, file)).toBe(expected);
  });

  it('of several is as strict as the strictest', () => {
    expect([
      world.edit('auto', 'src/a.ts', '.vscode/tasks.json'),
      world.edit('auto', 'src/a.ts', '.git/config', 'AGENTS.md'),
    ]).toEqual(['ask dotConfig [edit(.vscode/tasks.json)]', 'ask sensitive repositoryInternals dotConfig once']);
  });
});

describe('files that something runs automatically', () => {
  it.each([
    '.vscode-server/data/Machine/settings.json',
    '.vscode-server/extensions/a/out.js',
    '.vscode-remote/x',
    '.vscode-oss/x',
    '.cursor-server/bin/x',
    '.windsurf-server/x',
    '.vscodium/argv.json',
    '.vscodium-server/x',
    '.openvscode-server/x',
    '.code-server/x',
    'Library/Application Support/Code/User/settings.json',
    'Library/LaunchAgents/a.plist',
    'Library/LaunchDaemons/a.plist',
    'AppData/Roaming/Code/User/settings.json',
    'AppData/Local/x',
    '.nvm/nvm.sh',
    '.oh-my-zsh/custom/a.zsh',
    '.oh-my-bash/a.sh',
    '.zprezto/init.zsh',
    '.pyenv/shims/python',
    '.rbenv/x',
    '.sdkman/bin/x.sh',
    '.asdf/asdf.sh',
    '.volta/bin/node',
    '.ipython/profile_default/startup/a.py',
    '.jupyter/jupyter_config.py',
    '.xsessionrc',
    '.xprofile',
    '.gradle/init.d/a.gradle',
    '.m2/wrapper/a',
    '.docker/cli-plugins/x',
    'eslint.config.mjs',
    'packages/a/eslint.config.ts',
    'prettier.config.cjs',
    'stylelint.config.js',
    'svelte.config.js',
    'tailwind.config.ts',
    'vite.config.ts',
    'vitest.config.mts',
    'jest.config.js',
    'postcss.config.js',
    'babel.config.json',
    'playwright.config.ts',
    'commitlint.config.js',
    'lint-staged.config.js',
    '.pnp.cjs',
    '.pnp.loader.mjs',
    'gradle/wrapper/gradle-wrapper.properties',
    'gradle/wrapper/gradle-wrapper.jar',
    'conftest.py',
    'tests/conftest.py',
    'build.rs',
    'build.gradle',
    'app/build.gradle.kts',
    'settings.gradle',
    'App.csproj',
    'lib/Lib.fsproj',
    'Directory.Build.props',
    'Directory.Build.targets',
    'CMakeLists.txt',
    'rust-toolchain',
    'rust-toolchain.toml',
    '.nvim.lua',
    '.pylintrc',
    '.rubocop.yml',
    'node_modules/a/index.js',
    'packages/x/node_modules/@a/b/package.json',
    'venv/lib/python3.12/site-packages/a/b.py',
    'usr/lib/python3/dist-packages/a.py',
    '.venv/lib/python3.12/site-packages/a.py',
  ])('are always asked about: %s', (file) => {
    world.allow = ['edit(**)'];
    const told = world.edit('auto', file);
    expect([
      told.startsWith('ask ') && told.includes('dotConfig'),
      /^ask /.test(world.edit('auto', file.toUpperCase())),
    ]).toEqual([true, true]);
  });

  it.each([
    'src/eslint.ts',
    'src/config.ts',
    'src/build.ts',
    'lib/application.ts',
    'Library/readme.md',
    'src/node_modules.ts',
    'test/jest.ts',
    'bin/cli.js',
  ])('are not ordinary files: %s', (file) => {
    expect(world.edit('auto', file)).toBe('allow');
  });

  it('include everything below the folders of the editor and of the extension, whatever is open', () => {
    world.allow = ['edit(**)', 'edit(src/**)'];
    const guarded = () => [world.real('<ws>/src')];
    const told = ['src/a.ts', 'src', 'srcs/a.ts', 'source/a.ts'].map((file) =>
      world.told({ kind: 'edit', paths: [world.at(file)] }, 'auto', { guarded }),
    );
    expect([
      ...told,
      world.told({ kind: 'run', command: 'echo a > src/a.ts', folder: world.at('<ws>'), shell: 'posix' }, 'auto', {
        guarded,
      }),
    ]).toEqual([
      'ask dotConfig [edit(src/a.ts)]',
      'ask dotConfig [edit(src)]',
      'allow',
      'ask dotConfig [edit(src/a.ts)]',
      'ask dotConfig [edit(src/a.ts)]',
    ]);
    world.allow = ['run(cp *)'];
    world.matchesPrefixes = true;
    expect(
      ['cp README.md src/b.ts', 'cp README.md copy.md'].map((command) =>
        world.told({ kind: 'run', command, folder: world.at('<ws>'), shell: 'posix' }, 'auto', { guarded }),
      ),
    ).toEqual(['ask command dotConfig once', 'allow']);
    world.allow = ['edit(src/a.ts)'];
    expect(world.told({ kind: 'edit', paths: [world.at('src/a.ts')] }, 'auto', { guarded })).toBe('allow');
  });
});

describe('secrets by name', () => {
  it.each([
    '.docker/config.json',
    '.m2/settings.xml',
    'kubeconfig',
    'prod.kubeconfig',
    '.curlrc',
    '.wgetrc',
    '.s3cfg',
    '.boto',
    'auth.json',
    '.claude/settings.local.json',
    '.codex/auth.json',
    'mcp.json',
    '.vscode/mcp.json',
    '.dev.vars',
    '.dev.vars.production',
    'client_secret_1234.json',
    'gcp-key.json',
  ])('%s', (file) => expect([isSecret(file), isSecret(file.toUpperCase())]).toEqual([true, true]));
});

describe('rules for files', () => {
  it('allow what matches, and never by a wildcard a file that is asked about in every mode', () => {
    world.allow = [
      'edit(src/**)',
      'edit(**)',
      'edit(.vscode/tasks.json)',
      'read(~/.config/foo/**)',
      'read(.env)',
      'edit(<out>/*.txt)',
      'read(/**)',
    ];
    expect({
      plain: world.edit('ask', 'src/deep/a.ts'),
      settings: world.edit('ask', '.vscode/settings.json'),
      tasks: world.edit('ask', '.vscode/tasks.json'),
      git: world.edit('ask', '.git/config'),
      outside: world.edit('ask', '../out/plain.txt'),
      otherOutside: world.edit('ask', '../out/plain.md'),
      home: world.read('<home>/.config/foo/a'),
      secret: world.read('.env'),
      otherSecret: world.read('.env.local'),
      key: world.read('<home>/.ssh/id_rsa'),
      byCommand: world.run('cat .env && cat ~/.config/foo/a'),
    }).toEqual({
      plain: 'allow',
      settings: 'ask dotConfig [edit(.vscode/settings.json)]',
      tasks: 'allow',
      git: 'ask sensitive repositoryInternals once',
      outside: 'allow',
      otherOutside: 'ask outside [edit(<out>/plain.md)]',
      home: 'allow',
      secret: 'allow',
      otherSecret: 'ask sensitive [read(.env.local)]',
      key: 'ask outside sensitive [read(~/.ssh/id_rsa)]',
      byCommand: 'allow',
    });
  });

  it('treat case as the file system does, except where they deny', () => {
    world.allow = ['edit(src/A.ts)'];
    const told = (): string => world.edit('ask', 'src/a.ts');
    const sensitive = told();
    world.caseSensitive = false;
    const insensitive = told();
    world.deny = ['edit(SRC/**)'];
    world.caseSensitive = true;
    expect([sensitive, insensitive, told()]).toEqual([
      'ask change [edit(src/a.ts)]',
      'allow',
      'denied by edit(SRC/**)',
    ]);
  });
});

describe('rules that deny', () => {
  it('win over every mode and every permission', () => {
    world.allow = ['edit(src/**)', 'run(npm test)', 'fetch(https://example.com)', 'mcp(files/*)', 'tool(other_tool)'];
    world.workspaceAllow = ['run(npm test)'];
    world.sessionRules = ['run(npm test)', 'edit(src/a.ts)'];
    world.deny = [
      'edit(src/a.ts)',
      'run(npm *)',
      'fetch(https://example.com)',
      'mcp(files/write)',
      'tool(other_tool)',
      'read(src/**)',
    ];
    expect([
      world.edit('auto', 'src/a.ts'),
      world.edit('auto', 'src/b.ts'),
      world.run('npm test', 'auto'),
      world.run('cat src/a.ts'),
      world.run('rg x src'),
      world.fetch('http://example.com/x'),
      world.told(mcp(true)),
      world.told({ ...mcp(true), tool: 'read' } as JudgedAccess),
      world.told(editorTool),
      world.read('source/a.ts'),
    ]).toEqual([
      'denied by edit(src/a.ts)',
      'allow',
      'denied by run(npm *)',
      'denied by read(src/**)',
      'denied by read(src/**)',
      'denied by fetch(https://example.com)',
      'denied by mcp(files/write)',
      'allow',
      'denied by tool(other_tool)',
      'denied by read(src/**)',
    ]);
  });

  it('can deny everything of a kind', () => {
    world.deny = ['run(*)', 'fetch(*)', 'mcp(*)', 'tool(*)', 'edit(**)'];
    expect([world.run('ls'), world.run('$('), world.fetch('https://example.com')]).toEqual([
      'denied by tool(*)',
      'denied by tool(*)',
      'denied by tool(*)',
    ]);
    world.deny = ['run(*)', 'fetch(*)', 'mcp(*)', 'edit(**)'];
    expect([
      world.run('ls'),
      world.run('$('),
      world.run('ls', 'ask', 'cmd'),
      world.fetch('https://example.com'),
      world.told(mcp(true)),
      world.edit('auto', 'a'),
    ]).toEqual([
      'denied by run(*)',
      'denied by run(*)',
      'denied by run(*)',
      'denied by fetch(*)',
      'denied by mcp(*)',
      'denied by edit(**)',
    ]);
  });

  it('that cannot be read cause a question about everything of their kind', () => {
    world.allow = ['run(npm test)', 'edit(src/**)', 'fetch(https://example.com)'];
    const all = (): readonly string[] =>
      [world.run('npm test'), world.run('ls'), world.edit('auto', 'src/a.ts'), world.fetch('https://example.com')].map(
        (told) => told.split(' ')[0] ?? '',
      );
    world.deny = ['run(npm publish'];
    const unreadableRun = all();
    world.deny = ['npm publish'];
    expect([unreadableRun, all(), denyRuleProblem('run(npm publish'), denyRuleProblem('npm publish')]).toEqual([
      ['ask', 'ask', 'allow', 'allow'],
      ['ask', 'ask', 'ask', 'ask'],
      '`run(npm publish` in `hermes.approvals.deny` is not a valid deny rule. Until you fix it, Hermes asks about everything of the kind “run” even if another rule allows it.',
      '`npm publish` in `hermes.approvals.deny` is not a valid deny rule. Until you fix it, Hermes asks about everything even if another rule allows it.',
    ]);
  });
});

describe('a question caused only by an unreadable deny rule', () => {
  it('says so, and does not say that a file is elsewhere', () => {
    world.deny = ['read(src/**', 'edit('];
    world.allow = ['edit(src/**)'];
    expect([
      world.read('src/a.ts'),
      world.edit('auto', 'src/a.ts'),
      world.run('cat src/a.ts'),
      world.fetch('https://example.com'),
      world.read('../out/plain.txt'),
    ]).toEqual([
      'ask rules [read(src/a.ts)]',
      'ask change rules [edit(src/a.ts)]',
      'ask command rules [read(src/a.ts)]',
      'ask network [fetch(https://example.com)]',
      'ask outside rules [read(<out>/plain.txt)]',
    ]);
  });
});

describe('addresses', () => {
  it.each([
    ['https://example.com/a', 'ask network [fetch(https://example.com)]'],
    ['https://allowed.example/a?b', 'allow'],
    ['http://allowed.example/', 'ask network [fetch(http://allowed.example)]'],
    ['https://allowed.example:8443/', 'ask network [fetch(https://allowed.example:8443)]'],
    ['https://sub.allowed.example/', 'ask network [fetch(https://sub.allowed.example)]'],
    ['https://allowed.example.evil.example/', 'ask network [fetch(https://allowed.example.evil.example)]'],
    ['http://localhost:3000/', 'ask network localAddress once'],
    ['http://127.1/', 'ask network localAddress once'],
    ['http://2130706433/', 'ask network localAddress once'],
    ['http://0x7f.0.0.1/', 'ask network localAddress once'],
    ['http://[::ffff:127.0.0.1]/', 'ask network localAddress once'],
    ['http://169.254.169.254/latest/meta-data', 'ask network localAddress once'],
    ['http://printer.local/', 'ask network localAddress once'],
    ['http://localhost./', 'ask network localAddress once'],
    ['ftp://example.com/', 'deny: Only http and https addresses can be fetched, not ftp:'],
    ['file:///etc/passwd', 'deny: Only http and https addresses can be fetched, not file:'],
    [
      'https://user:secret@example.com/',
      'deny: The address contains a name or a password. Leave it out: credentials are not sent.',
    ],
    ['not an address', 'deny: not an address is not a web address. Give one that begins with https:// or http://.'],
  ])('%s: %s', (url, expected) => {
    world.allow = ['fetch(https://allowed.example)', 'fetch(http://localhost:3000)', 'fetch(http://127.0.0.1)'];
    expect(world.fetch(url)).toBe(expected);
  });
});

describe('servers, tools of other extensions, and plans', () => {
  it('are asked about unless a rule names them, whatever a server claims about itself', () => {
    const before = [
      world.told(mcp(true)),
      world.told(mcp(false)),
      world.told(editorTool),
      world.told({ kind: 'plan' }, 'plan'),
    ];
    world.allow = ['mcp(files/write)', 'tool(other_tool)'];
    expect([
      before,
      [
        world.told(mcp(false)),
        world.told(editorTool),
        world.told({ kind: 'plan' }, 'plan'),
        world.told({ kind: 'mcp', server: 'other', tool: 'write', readOnly: true }),
      ],
    ]).toEqual([
      [
        'ask server [mcp(files/write)]',
        'ask server [mcp(files/write)]',
        'ask extension [tool(other_tool)]',
        'ask plan once',
      ],
      ['allow', 'allow', 'ask plan once', 'ask server [mcp(other/write)]'],
    ]);
  });
});

describe('modes without changes', () => {
  it('Plan mode allows reading, and explains what to do', () => {
    world.allow = ['run(npm test)', 'edit(**)', 'mcp(files/*)', 'tool(other_tool)'];
    const plan = 'deny: Plan mode: only looking is allowed. Present a plan with exit_plan_mode.';
    expect([
      world.edit('plan', 'src/a.ts'),
      world.run('npm test', 'plan'),
      world.told(mcp(false), 'plan'),
      world.told(mcp(true), 'plan'),
      world.told(editorTool, 'plan'),
      world.told({ kind: 'fetch', url: 'https://example.com' }, 'plan'),
    ]).toEqual([plan, plan, plan, 'allow', plan, 'ask network [fetch(https://example.com)]']);
  });

  it('Restricted Mode allows reading', () => {
    world.isTrusted = false;
    world.allow = ['run(npm test)', 'edit(**)', 'mcp(files/*)', 'tool(other_tool)', 'fetch(https://example.com)'];
    const told = [
      world.edit('auto', 'src/a.ts'),
      world.run('ls'),
      world.told(mcp(true)),
      world.told(editorTool),
      world.fetch('https://example.com'),
    ];
    expect([
      told.every((each) => each.startsWith('deny: Restricted Mode:')),
      world.read('src/a.ts'),
      world.read('.env'),
    ]).toEqual([true, 'allow', 'ask sensitive [read(.env)]']);
  });
});

describe("the user's decision", () => {
  it('is kept for the workspace or everywhere, and only if it is a rule', async () => {
    const policy = world.policy();
    await policy.remember({ kind: 'allow', scope: 'workspace', rules: ['run(npm test)'] });
    await policy.remember({ kind: 'allow', scope: 'user', rules: [' fetch(https://example.com) '] });
    for (const scope of ['session', 'workspace'] as const) await policy.remember({ kind: 'allow', scope, rules: [] });
    await policy.remember({ kind: 'deny', reason: null });
    await expect(policy.remember({ kind: 'allow', scope: 'user', rules: ['run(*)'] })).rejects.toThrow(
      '`run(*)` would allow everything of its kind, so it can only be a deny rule.',
    );
    await expect(policy.remember({ kind: 'allow', scope: 'user', rules: ['tool(*)'] })).rejects.toThrow(
      '`tool(*)` would allow everything of its kind, so it can only be a deny rule.',
    );
    await expect(policy.remember({ kind: 'allow', scope: 'user', rules: ['npm test'] })).rejects.toThrow(
      '`npm test` is not a rule.',
    );
    expect(world.kept).toEqual([
      { rules: ['run(npm test)'], scope: 'workspace' },
      { rules: ['fetch(https://example.com)'], scope: 'user' },
    ]);
  });

  it('applies in a session too', () => {
    world.sessionRules = ['run(tsc *)'];
    expect([world.inside('tsc --noEmit', 'ask'), world.inside('tsc; rm x', 'ask')]).toEqual([
      'allow',
      'ask command once',
    ]);
  });
});

describe('a rule as text', () => {
  it.each([
    '',
    'run',
    'run()',
    'run( )',
    'exec(x)',
    'fetch(example.com)',
    'fetch(https://example.com/path)',
    'fetch(https://u:p@example.com)',
    'fetch(file:///x)',
    'mcp(server)',
    'mcp(/tool)',
    'mcp(a/b/c)',
    'mcp(*/tool)',
    'mcp(a/b*)',
    'tool(a b)',
    'edit(a\nb)',
    'edit(a\u202eb)',
    'run(npm\u200b test)',
    'RUN(x)',
  ])('%j is not a rule', (text) => {
    expect(allowRuleProblem(text)).toContain('is not a rule');
  });
});

describe('the line that the user reads', () => {
  it('shows hidden characters', () => {
    expect([
      shownLine('npm test\nrm -rf x'),
      shownLine('a\u202eb\u200bc\rd'),
      shownLine('x'.repeat(3000)).length < 2100,
    ]).toEqual(['npm test ⏎ rm -rf x', 'a\\u{202e}b\\u{200b}c\\u{d}d', true]);
  });
});

describe('names of files', () => {
  it('of programs, texts and tests are not secrets', () => {
    const plain = [
      'src/environment.ts',
      'src/keys.ts',
      'src/token.ts',
      'docs/env.md',
      'src/secret.ts',
      'package-lock.json',
      'test/key.test.ts',
      'src/git/config.ts',
      'Makefile',
      'src/heads.ts',
      '.gitignore',
      '.editorconfig',
      'src/profile.ts',
    ];
    expect(plain.filter((name) => isSecret(name) || changeReasons(name).length > 0)).toEqual([]);
  });
});

it('the policy reports which places no tool may show the contents of', () => {
  world.deny = ['read(SRC/**)', 'edit(package.json)', 'read('];
  const denied = ['src/a.ts', 'source/a.ts', 'package.json', '.env'].filter((file) =>
    world.policy().deniesReading(world.at(file)),
  );
  expect(denied).toEqual(['src/a.ts', 'source/a.ts']);
});

describe('the request about a command', () => {
  const risks = (command: string, shell: 'posix' | 'powershell' = 'posix') => {
    const folder = { path: '/nowhere', shown: 'nowhere', isInside: false };
    const asked = { access: { kind: 'run', command, folder, shell } } as const;
    const verdict = world.policy({}).judge({ tool: 'run_command', mode: 'ask', sessionRules: [], asked });
    return verdict.kind === 'ask' ? verdict.request.risks : verdict.kind;
  };

  it('names its risks, if there are any and the shell is known', () => {
    expect([risks('git push -f origin'), risks('npm test'), risks('rm -r a', 'powershell')]).toEqual([
      [{ kind: 'rewrites', target: 'origin' }],
      undefined,
      undefined,
    ]);
  });
});
