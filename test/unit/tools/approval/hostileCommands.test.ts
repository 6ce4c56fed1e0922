import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PolicyWorld } from './policyWorld';

let world: PolicyWorld;
beforeAll(() => (world = new PolicyWorld()));
afterAll(() => world.dispose());

/** Those of the commands that would run unasked. */
const unasked = (commands: readonly string[]): readonly string[] => commands.filter((command) => world.run(command, 'auto') === 'allow');

describe('a command that only looks', () => {
  it('cannot set a variable of the shell: programs would be found elsewhere', () => {
    // Bash counts signs into a variable with %n, zsh calculates numbers, and in both PATH is a variable.
    expect(unasked(["printf 'x%n' PATH; ls", 'printf %d PATH=0; ls', "printf '%s%n' a PATH", "printf '%*s' PATH=0 x", "printf '%5.*f' PATH=0", "printf '%(%s)T' -1", "printf '\\045n' PATH", "printf '%%%n' PATH", "printf -- '%n' PATH"])).toEqual([]);
    expect(unasked(["printf '%s\\n' text", 'printf done', "printf '%-10s|%5.2s %% %b\\n' a b c"])).toEqual(["printf '%s\\n' text", 'printf done', "printf '%-10s|%5.2s %% %b\\n' a b c"]);
  });

  it('is asked for where a number that is not known is part of a name: a link may have that name', () => {
    expect(unasked(['cat n$?', 'false; cat n$?', 'cat src/$$', 'cat n$#', 'ls > n$?', 'wc -l < n$$', 'head -n$? README.md', 'n$? x', 'cat "n$?"'])).toEqual([]);
    expect(unasked(['npm test; echo "exit: $?"', 'ls; echo $?'])).toEqual(['ls; echo $?']);
  });

  it('is asked for where the file depends on who looks', () => {
    expect(unasked(['cat /proc/self/cwd/README.md', 'cat /dev/fd/3', 'cat /proc/thread-self/root/etc/passwd', 'cat /../proc/self/cwd/README.md'])).toEqual([]);
  });

  it('is asked for where zsh would take a sign for a pattern', () => {
    expect(unasked(['cat x#', 'cat (x)#', 'ls *(e:\'id\':)', 'ls =(id)', 'echo ${(e)X}', 'ls x##', 'cat <1-5>'])).toEqual([]);
  });
});

describe('a redirection', () => {
  it('is not hidden by a sign that zsh takes for part of it', () => {
    expect(unasked(['echo x >! .git/hooks/pre-commit', 'echo x >>! .vscode/tasks.json', 'echo x >&! .git/hooks/pre-commit', 'echo x &>! .envrc', 'echo x &>>! .envrc', 'echo x >&| .envrc', 'echo x >>| .envrc', 'echo x >>&! .envrc', 'echo x &>| .envrc'])).toEqual([]);
  });
});
