import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Confined, Mode } from '../../../../src/transcript/approval';
import { PolicyWorld } from './policyWorld';

let world: PolicyWorld;
beforeAll(() => (world = new PolicyWorld()));
afterAll(() => world.dispose());
beforeEach(() => Object.assign(world, { allow: [], deny: [], sessionRules: [], isTrusted: true }));

const inside = (...hosts: readonly string[]): Confined => ({ kind: 'inside', hosts });
const outside: Confined = { kind: 'outside', reason: 'It needs Docker.' };
const run = (command: string, confined: Confined | undefined, mode: Mode = 'auto'): string =>
  world.told(
    {
      kind: 'run',
      command: world.real(command),
      folder: { path: world.real('<ws>'), shown: '.', isInside: true },
      shell: 'posix',
      ...(confined === undefined ? {} : { confined }),
    },
    mode,
  );

describe('a command in the sandbox', () => {
  it.each([
    'npm test',
    'make build',
    'node scripts/gen.js > src/gen.ts',
    'for f in src/*; do echo "$f"; done',
    'python3 -c "print(1)"',
    'git commit -am x',
    'echo `date` | tee log',
    'cargo build && ./target/debug/app',
  ])('runs without a question where edits do: %s', (command) => {
    expect([
      run(command, inside()),
      run(command, inside(), 'ask').startsWith('ask '),
      run(command, undefined).startsWith('ask '),
    ]).toEqual(['allow', true, true]);
  });

  it('is asked about once more while an earlier one has left a file that only the user may allow', () => {
    expect(run('npm test', { kind: 'inside', hosts: [], hasLeftovers: true })).toMatch(/^ask .*leftovers/);
  });

  it.each([
    ['a secret', 'node x.js .env', 'sensitive'],
    ['a file elsewhere', 'cp src/a.ts <home>/x', 'outside'],
    ['what an editor runs', 'cp src/a.ts .vscode/tasks.json', 'dotConfig'],
    ['what Git runs', 'cp src/a.ts .git/hooks/pre-commit', 'repositoryInternals'],
  ])('that names %s is asked about', (_, command, reason) => {
    expect(run(command, inside())).toMatch(new RegExp(`^ask .*${reason}`));
  });

  /** Without a checkpoint, and with one that holds what the words of the command discard. */
  const discards = (command: string): readonly boolean[] =>
    [false, true].map((restorable) => /^ask .*discards/.test(world.inside(command, 'auto', restorable)));

  it.each([
    'rm -rf src',
    'rm src/*.ts',
    'npm test && rm README.md',
    '/bin/rm README.md',
    'unlink README.md',
    'shred README.md',
    'truncate -s 0 README.md',
    'dd if=b of=README.md',
    'find src -name x -delete',
    'rsync -a --delete a src',
    'rsync -a --del a src',
    'npx rimraf src',
    'busybox rm README.md',
    "bash -c 'rm README.md'",
    'git reset --hard HEAD~1',
    'git -C . reset -q --hard',
    'git reset -q --har',
    'git bisect run rm -rf src',
    "trap 'rm -rf src' EXIT",
    'git clean -fd',
    'git checkout -- src',
    'git checkout .',
    'git checkout src/a.ts',
    'git checkout HEAD src',
    'git checkout -qf main',
    'git switch -f main',
    'git switch --discard-changes main',
    'git restore src',
    'git read-tree -u --reset HEAD',
    'git rm -f README.md',
    'cd src && rm a.ts',
  ])('that discards files is asked about, unless a checkpoint can restore them: %s', (command) => {
    expect(discards(command)).toEqual([true, false]);
  });

  it.each([
    'git clean -fdx',
    'git clean -ffd',
    'git stash drop',
    'git stash clear',
    'git branch -D old',
    'git branch -qD old',
    'git branch --delete --force old',
    'git tag -d v1',
    'git reflog expire --all',
    'git push; git gc --prune=now',
    'git update-ref -d refs/heads/x',
    'git worktree remove x',
    'git submodule deinit -f x',
    "git submodule foreach --recursive 'git reset --hard'",
    'coproc rm -rf src',
    'git filter-branch --all',
    'g=git; $g clean -fdx',
    'g=git; $g stash drop',
    'r=rm; $r -rf src',
    'git $VERB',
    'r\\m -rf src',
    'git sta\\sh dr\\op',
    "$'rm' -rf src",
    'for f in *; do rm "$f"; done',
    'for b in x y; do git branch -D "$b"; done',
    'rm -rf "$DIR"',
    'xargs rm < list',
    'ls | xargs -0 rm -rf',
    'find . -name x -exec rm {} +',
    'case x in x) git stash drop;; esac',
    'f() { git stash drop; }; f',
  ])('that discards what no checkpoint holds is asked about: %s', (command) => {
    expect(discards(command)).toEqual([true, true]);
  });

  it.each([
    'git checkout main',
    'git checkout -b README.md',
    'git branch -d merged',
    'git stash',
    'git stash pop',
    'npm run format',
    'git reset HEAD~1',
    'git clean -n',
    'git rm --cached README.md',
    'grep -rn remove src',
    'grep -rn rm src',
    'git commit -m "remove: rm old"',
    'node --test test/rm.test.js',
    'git log --format=%h',
    'for f in src/*; do echo "$f"; done',
    'rm -rf <tmp>/job',
    'rm --help',
  ])('that discards nothing runs without a question: %s', (command) => {
    expect(world.inside(command)).toBe('allow');
  });

  it('asks for every host, with a rule for each', () => {
    expect(run('npm install', inside('registry.npmjs.org'))).toBe('ask network [connect(registry.npmjs.org)]');
    expect(run('npm install', inside('registry.npmjs.org'), 'ask')).toBe(
      'ask command network [run(npm install); connect(registry.npmjs.org)]',
    );
    world.sessionRules = ['connect(registry.npmjs.org)'];
    expect([
      run('npm install', inside('registry.npmjs.org')),
      run('npm install', inside('evil.example', 'registry.npmjs.org')),
    ]).toEqual(['allow', 'ask network [connect(evil.example)]']);
    world.deny = ['connect(registry.npmjs.org)'];
    expect(run('npm install', inside('registry.npmjs.org'))).toBe('denied by connect(registry.npmjs.org)');
    world.deny = ['fetch(https://registry.npmjs.org)'];
    expect(run('npm install', inside('registry.npmjs.org'))).toBe('denied by fetch(https://registry.npmjs.org)');
    world.deny = ['connect(*)'];
    expect(run('npm install', inside('registry.npmjs.org'))).toBe('denied by connect(*)');
  });

  it('is denied by the usual rules, and asked about where a deny rule may match', () => {
    world.deny = ['run(git push *)'];
    expect([
      run('git push origin', inside()),
      run('for i in 1 2; do make; done', inside()),
      run('make', inside()),
    ]).toEqual(['denied by run(git push *)', expect.stringMatching(/^ask .*unparsed/), 'allow']);
    world.deny = ['run(git push'];
    expect(run('make', inside())).toMatch(/^ask .*rules/);
    world.deny = [];
    world.isTrusted = false;
    expect(run('make', inside())).toMatch(/^deny: Restricted Mode/);
    world.isTrusted = true;
    expect(run('make', inside(), 'plan')).toMatch(/^deny: Plan mode/);
  });

  it.each(['grep -r "" .', 'git grep x', 'rg x', 'git log -p', 'cd src && grep -rn x .'])(
    'that reads whole folders is not asked about while a rule denies reading what the sandbox hides: %s',
    (command) => {
      world.deny = ['read(notes.md)'];
      expect([world.inside(command), world.inside(command, 'ask')]).toEqual(['allow', 'allow']);
      world.deny = ['read(~/*/notes.md)'];
      expect([world.inside(command), world.inside(command, 'ask')]).toEqual([
        expect.stringMatching(/^ask command/),
        expect.stringMatching(/^ask command/),
      ]);
    },
  );

  it('may use the temporary folder and look at the programs of the system', () => {
    const commands = ['cp src/a.ts <tmp>/job/x', 'echo x > <tmp>/job/x', 'cat <tmp>/job/x', 'ls /usr', 'ls <tmp>/job'];
    expect(commands.map((command) => world.inside(command))).toEqual(commands.map(() => 'allow'));
    expect(
      ['cat <tmp>/../out/plain.txt', 'cat <tmp>/job/.env', 'ls /', 'cat /etc/passwd', 'cp src/a.ts <tmp>'].filter(
        (command) => world.inside(command) === 'allow',
      ),
    ).toEqual([]);
    expect(run('cat <tmp>/job/x', undefined)).toMatch(/^ask .*outside/);
  });

  it('to be run outside it is asked about despite every rule, and can be allowed only once', () => {
    world.sessionRules = ['run(docker ps)', 'run(docker *)'];
    expect([
      run('docker ps', outside),
      run('ls', outside),
      run('docker ps', inside()),
      run('docker ps', undefined),
      run('docker ps -a', undefined),
    ]).toEqual([
      'ask command unconfined once',
      'ask command unconfined once',
      'allow',
      'allow',
      'ask command network once',
    ]);
  });
});

describe('a rule that denies a command', () => {
  const judged = (command: string): readonly string[] => [world.inside(command), world.run(command, 'auto')];

  it.each([
    'git push',
    'git -C . push',
    'git -c a=b push',
    'git --no-pager push',
    'git -P push',
    'git --git-dir .git push',
    'git --git-dir=.git --work-tree . push origin',
    'git -C src -c a=b --no-pager push --all',
    'git $X push',
    'git "$A" $B push origin',
    'GIT PUSH',
    '/usr/bin/git -C . push',
    'sudo -u me git -C . push',
    'env A=b git --no-pager push',
    'timeout 5 git -P push',
    'xargs -n 1 git -C . push',
    'find . -exec git -C . push \\;',
    "bash -c 'git -C . push'",
    'eval "git -c a=b push"',
    'nohup git --no-replace-objects push &',
    'npx git -C . push',
    'script -c "git push"',
    'echo $(git -C . push)',
    'g\\it push',
    'ssh box git -C . push',
  ])('covers %s', (command) => {
    world.deny = ['run(git push *)'];
    const denied = 'denied by run(git push *)';
    // A backslash before a letter is not understood: then the words may begin any command.
    expect(judged(command)).toEqual([denied, denied]);
  });

  it.each([
    'git $VERB',
    'git -c alias.p=push p',
    '$GIT push',
    'git pus[h]',
    '"$X" $Y',
    'git config alias.p push && git p',
  ])('makes a question of what only the shell knows: %s', (command) => {
    world.deny = ['run(git push *)'];
    expect(world.inside(command)).toMatch(/^ask .*unparsed/);
  });

  it('covers its flags in any place', () => {
    world.deny = ['run(git push --force *)', 'run(npm publish *)', 'run(docker compose down *)'];
    expect(
      [
        'git push origin --force',
        'git -C . push -u origin x --force',
        'npm -w a publish',
        'docker --context x compose down',
      ].map((command) => world.inside(command)),
    ).toEqual([
      'denied by run(git push --force *)',
      'denied by run(git push --force *)',
      'denied by run(npm publish *)',
      'denied by run(docker compose down *)',
    ]);
    expect(
      ['git push origin', 'git commit -m "push --force"', 'npm run publish'].map((each) => world.inside(each)),
    ).toEqual(['allow', 'allow', 'allow']);
  });

  it('covers no other command that has its words', () => {
    world.deny = ['run(git push *)'];
    const others = [
      'git commit -m push',
      'git log --grep push',
      'git stash push',
      'echo git push',
      'grep -n push src/a.ts',
    ];
    expect(others.map((command) => world.inside(command))).toEqual(others.map(() => 'allow'));
  });
});

describe('a rule for a host', () => {
  it.each(['connect(Example.org)', 'connect(a.b.example)', 'connect(my_host.local)'])('is read: %s', (rule) => {
    world.sessionRules = [rule];
    expect(run('x', inside(rule.slice(8, -1).toLowerCase()))).toBe('allow');
  });

  it.each([
    'connect(127.0.0.1)',
    'connect(10.0.0.1)',
    'connect(localhost)',
    'connect(*.example.org)',
    'connect(*)',
    'connect(https://example.org)',
    'connect(example.org:443)',
    'connect([::1])',
    'connect(a b.example)',
  ])('allows nothing where it is not a host name: %s', (rule) => {
    world.sessionRules = [rule];
    expect(run('x', inside('example.org', '127.0.0.1'))).toMatch(/^ask network/);
  });
});
