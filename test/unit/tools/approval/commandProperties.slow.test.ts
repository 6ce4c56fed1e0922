import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RuleBook } from '../../../../src/tools/approval/ruleBook';
import { allowRuleProblem, parseRule, printRule } from '../../../../src/tools/approval/ruleText';
import { NotUnderstood } from '../../../../src/tools/approval/shell/shellCommand';
import { parseShell } from '../../../../src/tools/approval/shell/shellParser';
import { PolicyWorld } from './policyWorld';

let world: PolicyWorld;
const runs = { numRuns: 400 };

beforeAll(() => {
  world = new PolicyWorld();
  world.allow = [
    'run(npm test)',
    'run(npm run build)',
    'run(git push origin main)',
    'run(node scripts/check.js --fast)',
  ];
});

afterAll(() => world.dispose());

const allowedCommands = fc.constantFrom(
  'npm test',
  'npm run build',
  'git push origin main',
  'node scripts/check.js --fast',
  'ls -la src',
  'cat src/a.ts',
  'git status',
  'echo done',
  "rg -n 'text' src",
  'CI=1 npm test',
);
const otherCommands = fc.constantFrom(
  'rm -rf src',
  'curl https://example.com',
  'cat .env',
  'cat ~/.ssh/id_rsa',
  'bash -c x',
  'git push --receive-pack=./x',
  'PATH=. npm test',
  'npm test > .git/config',
  'eval x',
  'sudo ls',
  '$CMD',
  'sort -o a b',
  'find . -delete',
  'x',
  'cat link/plain.txt',
  'git config a b',
  './npm test',
  'cat *',
);
/** Pieces of shell, put together at random: most of it is no command at all. */
const scraps = fc
  .array(
    fc.constantFrom(
      'npm test',
      'rm',
      'x',
      ' ',
      ';',
      '&&',
      '||',
      '|',
      '&',
      '(',
      ')',
      '{ ',
      '; }',
      '"',
      "'",
      '\\',
      '$',
      '$(',
      '`',
      '\n',
      '#',
      '<<E',
      'E',
      '$X',
      '>',
      '<',
      '/dev/null',
      '!',
      'if ',
      '; then ',
      '; fi',
      '*',
      '~',
      '=',
      'PATH=.',
      '\r',
      '\u200b',
      'cat .env',
    ),
    { minLength: 1, maxLength: 9 },
  )
  .map((pieces) => pieces.join(''));
const separators = fc.constantFrom(
  ';',
  ' ; ',
  '&&',
  ' && ',
  '||',
  ' || ',
  '|',
  ' | ',
  '&',
  ' & ',
  '\n',
  '|&',
  ' ;\n',
  '\n\n',
);

/** Whether anything would run, as far as that can be said. */
function runsSomething(command: string): boolean {
  const script = parseShell(command);
  return script instanceof NotUnderstood || script.parts.length > 0;
}

describe('joined commands', () => {
  it('are allowed exactly when each of them is', () => {
    const any = fc.oneof(allowedCommands, otherCommands);
    fc.assert(
      fc.property(any, separators, any, (left, separator, right) => {
        const alone = [world.run(left), world.run(right)].every((verdict) => verdict === 'allow');
        expect([left + separator + right, world.run(left + separator + right) === 'allow']).toEqual([
          left + separator + right,
          alone,
        ]);
      }),
      runs,
    );
  });

  it('are never allowed when the joined part is not, whatever it is', () => {
    fc.assert(
      fc.property(
        allowedCommands,
        separators,
        scraps.filter(runsSomething),
        fc.boolean(),
        (allowed, separator, scrap, isFirst) => {
          // A backslash ahead of the separator takes its meaning away.
          fc.pre(!scrap.endsWith('\\') && world.run(scrap) !== 'allow');
          const joined = isFirst ? scrap + separator + allowed : allowed + separator + scrap;
          expect([joined, world.run(joined)]).not.toEqual([joined, 'allow']);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each(['\r', '\r\n', '\u00a0', '\u2028', '\ufeff', '\v', '\f'])(
    'are not the text of a rule with %j after them, which a shell takes for a word',
    (blank) => {
      const commands = [`npm test${blank}`, `npm test\n${blank}`, `${blank}npm test`];
      expect(commands.filter((command) => world.run(command) === 'allow')).toEqual([]);
    },
  );

  it('are the text of a rule with blanks and line ends around them', () => {
    expect(world.run('\n \tnpm test \t\n\n')).toBe('allow');
  });

  it('are not allowed inside an allowed command', () => {
    const frames: readonly ((inner: string) => string)[] = [
      (inner) => `npm test $(${inner})`,
      (inner) => `npm run build "$(${inner})"`,
      (inner) => `npm test \`${inner}\``,
      (inner) => `(${inner})`,
      (inner) => `{ ${inner}; }`,
      (inner) => `if ${inner}; then npm test; fi`,
      (inner) => `npm test <(${inner})`,
      (inner) => `cat <<EOF\n$(${inner})\nEOF`,
      (inner) => `! ${inner}`,
      (inner) => `time ${inner}`,
      (inner) => `echo ok; (npm test && { ${inner}; })`,
    ];
    fc.assert(
      fc.property(fc.constantFrom(...frames), otherCommands, (frame, inner) => {
        expect([frame(inner), world.run(frame(inner))]).not.toEqual([frame(inner), 'allow']);
      }),
      runs,
    );
  });
});

describe('quotes', () => {
  const words = fc.constantFrom(
    ['rm', '-rf', 'src'],
    ['curl', 'https://example.com'],
    ['cat', '.env'],
    ['cat', '../out/plain.txt'],
    ['cat', 'link/plain.txt'],
    ['git', 'push', '--receive-pack=./x'],
    ['bash', '-c', 'npm test'],
    ['sudo', 'npm', 'test'],
    ['find', '.', '-delete'],
    ['sort', '-o', 'a', 'b'],
    ['env', 'PATH=.', 'npm', 'test'],
    ['eval', 'npm test'],
    ['git', '-c', 'a.b=c', 'push'],
    ['rg', '--pre', './x', 'text'],
  );
  const quoting = fc.infiniteStream(fc.constantFrom('plain', 'single', 'double', 'escape'));

  it('never turn a question into a permission', () => {
    fc.assert(
      fc.property(words, quoting, (plain, styles) => {
        const style = (): string => styles.next().value ?? 'plain';
        const command = plain.map((word) => [...word].map((sign) => quoted(sign, style())).join('')).join(' ');
        expect([command, world.run(command)]).not.toEqual([command, 'allow']);
      }),
      runs,
    );
  });

  it('do not matter where the words stay the same', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(['npm', 'test'], ['npm', 'run', 'build'], ['cat', 'src/a.ts']),
        quoting,
        (plain, styles) => {
          const command = plain
            .map((word) =>
              [...word]
                .map((sign) => quoted(sign, (styles.next().value ?? 'plain').replace('escape', 'double')))
                .join(''),
            )
            .join(' ');
          expect([command, world.run(command)]).toEqual([command, 'allow']);
        },
      ),
      runs,
    );
  });

  function quoted(sign: string, style: string): string {
    if (style === 'single') return `'${sign}'`;
    if (style === 'double') return `"${sign}"`;
    return style === 'escape' || sign === ' ' ? `\\${sign}` : sign;
  }
});

describe('a rule', () => {
  const name = fc
    .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
    .filter((text) => text.trim() === text && !/[\p{Cc}\p{Cf}]/u.test(text));
  const written = fc.oneof(
    fc
      .array(fc.stringMatching(/^[a-z][\w./-]{0,8}$/), { minLength: 1, maxLength: 4 })
      .chain((words) =>
        fc.constantFrom(
          `run(${words.join(' ')})`,
          `run(${words.join(' ')} *)`,
          `run('${words.join("' '")}')`,
          `run(${words.join(' && ')})`,
        ),
      ),
    name.map((path) => `edit(${path})`),
    name.map((path) => `read(~/${path})`),
    fc.webUrl({ size: 'small' }).map((url) => `fetch(${new URL(url).origin})`),
    fc.tuple(name, name).map(([server, tool]) => printRule({ kind: 'mcp', server, tool })),
    fc.stringMatching(/^[\w-]{1,12}$/).map((tool) => `tool(${tool})`),
    fc.constant('mcp(server/*)'),
    scraps.map((scrap) => `run(${scrap})`),
  );

  it('is read back as written', () => {
    fc.assert(
      fc.property(written, (text) => {
        const rule = parseRule(text);
        fc.pre(rule !== null);
        expect(parseRule(printRule(rule))).toEqual(rule);
      }),
      runs,
    );
  });

  it('that names a server and a tool matches no other, whatever their names', () => {
    fc.assert(
      fc.property(name, name, (server, tool) => {
        expect(parseRule(printRule({ kind: 'mcp', server, tool }))).toEqual({ kind: 'mcp', server, tool });
      }),
      runs,
    );
  });

  it('that is offered would have allowed the request', () => {
    const commands = fc.oneof(
      otherCommands,
      scraps,
      fc.constantFrom(
        'tsc --noEmit',
        'FOO=1 npm test',
        'npx vitest run a',
        "cp 'a b' c",
        'make build',
        'echo x > out.txt',
        'cat <<E > a\nx\nE',
        'grep -r x . && cargo test',
        'python -m pytest -q',
        'cat ~/.config/foo/x',
        'tsc -p .',
      ),
    );
    fc.assert(
      fc.property(commands, (command) => {
        const told = world.run(command);
        const offered = /\[(.*)\]$/s.exec(told)?.[1]?.split('; ') ?? [];
        world.sessionRules = offered;
        const after = world.run(command);
        world.sessionRules = [];
        expect([
          command,
          offered.map(allowRuleProblem).filter((problem) => problem !== null),
          offered.length === 0 ? 'allow' : after,
        ]).toEqual([command, [], 'allow']);
      }),
      runs,
    );
  });

  it('for one file matches that file, and another one only by case', () => {
    fc.assert(
      fc.property(
        fc.array(
          name.filter((each) => !/[/\\]/.test(each) && each !== '.' && each !== '..'),
          { minLength: 1, maxLength: 3 },
        ),
        (segments) => {
          const shown = segments.join('/');
          const verdict = world.told({ kind: 'edit', paths: [{ path: `/ws/${shown}`, shown, isInside: true }] });
          const [, rule] = /^ask .* \[(.*)\]$/s.exec(verdict) ?? [];
          fc.pre(rule !== undefined);
          const book = new RuleBook({ allow: [rule], deny: [] }, { home: '/home/me', caseSensitive: true });
          const fits = (other: string): boolean =>
            book.allowsPath('edit', { path: `/ws/${other}`, shown: other, isInside: true }, true);
          expect([rule, fits(shown), fits(`${shown}x`), fits(`x${shown}`), fits(`${shown}/x`)]).toEqual([
            rule,
            true,
            false,
            false,
            false,
          ]);
        },
      ),
      runs,
    );
  });
});
