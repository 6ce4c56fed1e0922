import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowRuleProblem } from '../../../../src/tools/approval/ruleText';
import { PolicyWorld } from './policyWorld';

let world: PolicyWorld;
beforeAll(() => (world = new PolicyWorld()));
afterAll(() => world.dispose());

/** Those of the commands that would run unasked. */
const unasked = (commands: readonly string[]): readonly string[] =>
  commands.filter((command) => world.run(command, 'auto') === 'allow');

describe('a command that only reads', () => {
  it('cannot set a shell variable: programs would be found elsewhere', () => {
    // Bash counts signs into a variable with %n, zsh calculates numbers, and in both PATH is a variable.
    expect(
      unasked([
        "printf 'x%n' PATH; ls",
        'printf %d PATH=0; ls',
        "printf '%s%n' a PATH",
        "printf '%*s' PATH=0 x",
        "printf '%5.*f' PATH=0",
        "printf '%(%s)T' -1",
        "printf '\\045n' PATH",
        "printf '%%%n' PATH",
        "printf -- '%n' PATH",
      ]),
    ).toEqual([]);
    expect(unasked(["printf '%s\\n' text", 'printf done', "printf '%-10s|%5.2s %% %b\\n' a b c"])).toEqual([
      "printf '%s\\n' text",
      'printf done',
      "printf '%-10s|%5.2s %% %b\\n' a b c",
    ]);
  });

  it('is asked about when an unknown number is part of a name: a link may have that name', () => {
    expect(
      unasked([
        'cat n$?',
        'false; cat n$?',
        'cat src/$$',
        'cat n$#',
        'ls > n$?',
        'wc -l < n$$',
        'head -n$? README.md',
        'n$? x',
        'cat "n$?"',
      ]),
    ).toEqual([]);
    expect(unasked(['npm test; echo "exit: $?"', 'ls; echo $?'])).toEqual(['ls; echo $?']);
  });

  it('is asked about when the file depends on the user who runs it', () => {
    expect(
      unasked([
        'cat /proc/self/cwd/README.md',
        'cat /dev/fd/3',
        'cat /proc/thread-self/root/etc/passwd',
        'cat /../proc/self/cwd/README.md',
      ]),
    ).toEqual([]);
  });

  it('is asked about when zsh would read a character as a pattern', () => {
    expect(unasked(['cat x#', 'cat (x)#', "ls *(e:'id':)", 'ls =(id)', 'echo ${(e)X}', 'ls x##', 'cat <1-5>'])).toEqual(
      [],
    );
  });
});

describe('a redirection', () => {
  it('is not hidden by a character that zsh reads as part of it', () => {
    expect(
      unasked([
        'echo x >! .git/hooks/pre-commit',
        'echo x >>! .vscode/tasks.json',
        'echo x >&! .git/hooks/pre-commit',
        'echo x &>! .envrc',
        'echo x &>>! .envrc',
        'echo x >&| .envrc',
        'echo x >>| .envrc',
        'echo x >>&! .envrc',
        'echo x &>| .envrc',
      ]),
    ).toEqual([]);
  });
});

describe('a rule with a wildcard', () => {
  it('cannot cover the whole disk or the whole home folder', () => {
    expect(
      [
        'edit(/**)',
        'read(/*)',
        'edit(~/**)',
        'read(~/*/x)',
        'edit(C:\\**)',
        'read(//**)',
        'edit(/[*]/a)',
        'edit(src/**)',
        'edit(**)',
        'read(~/.config/foo/**)',
        'edit(/srv/*.txt)',
      ].filter((rule) => allowRuleProblem(rule) !== null),
    ).toEqual(['edit(/**)', 'read(/*)', 'edit(~/**)', 'read(~/*/x)', 'edit(C:\\**)', 'read(//**)']);
  });
});

describe('the settings of a repository', () => {
  it('may hold a token in an address, and are asked about', () => {
    expect([
      unasked(['cat .git/config', 'head -5 .git/modules/lib/config', 'cat .git/HEAD']),
      world.read('.git/config'),
    ]).toEqual([['cat .git/HEAD'], 'ask sensitive [read(.git/config)]']);
  });
});
