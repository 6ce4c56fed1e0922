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

  it.each([
    'rm -rf src',
    'git reset --hard HEAD~1',
    'git -C . reset -q --hard',
    'git clean -fdx',
    'git checkout -- .',
    'git checkout .',
    'git restore src',
    'git stash drop',
    'git branch -D old',
    'git branch -qD old',
    'find . -name x -delete',
    'npm test && rm a',
    'for f in *; do rm "$f"; done',
    'shred a',
    'dd if=b of=a',
    'git reflog expire --all',
    'git push; git gc --prune=now',
    '/bin/rm a',
    'xargs rm < list',
    'truncate -s 0 a',
    'rsync -a --delete a b',
  ])('that may discard work is asked about: %s', (command) => {
    expect(run(command, inside())).toMatch(/^ask .*discards/);
  });

  it.each([
    'git checkout main',
    'git branch -d merged',
    'git stash',
    'git stash pop',
    'npm run format',
    'git reset HEAD~1',
    'grep -rn remove src',
    'git log --format=%h',
  ])('that discards nothing runs without a question: %s', (command) => {
    expect(run(command, inside())).toBe('allow');
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
    'that reads whole folders is asked about while a rule denies reading something: %s',
    (command) => {
      world.deny = ['read(notes.md)'];
      world.allow = ['run(grep *)', 'run(git grep *)', 'run(rg *)'];
      expect([run(command, inside()), run(command, inside(), 'ask')]).toEqual([
        expect.stringMatching(/^ask command/),
        expect.stringMatching(/^ask command/),
      ]);
      expect(run('grep -n x src/a.ts', inside())).toBe('allow');
    },
  );

  it('to be run outside it is asked about despite every rule, and can be allowed only once', () => {
    world.sessionRules = ['run(docker ps)', 'run(docker *)'];
    expect([
      run('docker ps', outside),
      run('ls', outside),
      run('docker ps', inside()),
      run('docker ps', undefined),
    ]).toEqual(['ask command unconfined once', 'ask command unconfined once', 'allow', 'allow']);
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
