import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NotUnderstood } from '../../../../src/tools/approval/shell/shellCommand';
import { parseShell } from '../../../../src/tools/approval/shell/shellParser';

const shells = ['/bin/bash', '/bin/dash', '/bin/zsh', '/usr/bin/fish'].filter((shell) => existsSync(shell));
let base: string;

/** A folder of programs, the only ones that can be found, which write down that they were run, and with what. */
beforeAll(() => {
  base = realpathSync(mkdtempSync(path.join(tmpdir(), 'hermes-shell-')));
  mkdirSync(path.join(base, 'bin'));
  mkdirSync(path.join(base, 'work'));
  for (const name of ['aa', 'bb', 'cc', 'x']) {
    const file = path.join(base, 'bin', name);
    // One write each, since several may run at once.
    writeFileSync(
      file,
      `#!/bin/sh\nall=${name}\nfor each in "$@"; do all="$all$(printf '\\001')$each"; done\nprintf '%s\\002' "$all" >> "$RAN"\n`,
    );
    chmodSync(file, 0o755);
  }
});

afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));

let count = 0;

function ran(shell: string, command: string): readonly (readonly string[])[] {
  // A file for each, since what was put into the background may write late.
  const log = path.join(base, `ran-${++count}`);
  writeFileSync(log, '');
  spawnSync(shell, ['-c', command], {
    cwd: path.join(base, 'work'),
    env: { PATH: path.join(base, 'bin'), X: 'bb', RAN: log },
    stdio: 'ignore',
    timeout: 10_000,
  });
  return readFileSync(log, 'utf8')
    .split('\u0002')
    .filter((line) => line !== '')
    .map((line) => line.split('\u0001'));
}

const pieces = fc.array(
  fc.constantFrom(
    'aa',
    'bb',
    'cc',
    'x',
    ' ',
    ' ',
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
    ')',
    '`',
    '\n',
    '#',
    '<<E',
    '\nE\n',
    '$X',
    '${X}',
    '>',
    '> f',
    '<',
    '/dev/null',
    '2>&1',
    '! ',
    'if ',
    '; then ',
    '; fi',
    '*',
    '~',
    '=',
    'A=1 ',
    '!',
    '$?',
    "''",
    '""',
    '{aa,bb}',
    '\t',
  ),
  { minLength: 2, maxLength: 10 },
);
const commands = fc.oneof(
  pieces.map((each) => each.join('')),
  // Whole commands joined make sense more often.
  fc
    .array(
      fc.constantFrom(
        'aa',
        'bb x',
        'cc "a b"',
        "aa 'a;b'",
        'bb $(cc x)',
        'aa `bb`',
        '(cc)',
        '{ aa; }',
        '! bb',
        'cc > f',
        'aa 2>&1',
        'bb <(cc)',
        'if aa; then bb; fi',
        'cat <<E\n$(cc)\nE',
        'aa "$(bb "x y")"',
        'A=1 cc',
        'aa \\; bb',
        'bb "\\$(cc)"',
        'aa # bb',
        "cc ''",
        'bb $X',
        'aa \\\nx',
      ),
      { minLength: 1, maxLength: 4 },
    )
    .chain((parts) =>
      fc.constantFrom('; ', ' && ', ' || ', ' | ', '\n', ' & ').map((separator) => parts.join(separator)),
    ),
);

describe.each(shells)('each command that %s runs', (shell) => {
  it('is among the commands found in the text', { timeout: 240_000 }, () => {
    let understood = 0;
    fc.assert(
      fc.property(commands, (command) => {
        const script = parseShell(command);
        if (script instanceof NotUnderstood) return;
        understood++;
        const found = script.parts.map(({ words }) => words);
        for (const words of ran(shell, command)) {
          const isFound = found.some((part) => {
            const isOpen = part.some((word) => word.hasExpansion || word.hasGlob || word.hasTilde);
            return isOpen
              ? part[0]?.text === words[0] || part[0]?.hasExpansion === true || part[0]?.hasGlob === true
              : JSON.stringify(part.map(({ text }) => text.replace(/(?<=^)0$/, words[1] ?? '0'))) ===
                  JSON.stringify(words) || JSON.stringify(part.map(({ text }) => text)) === JSON.stringify(words);
          });
          expect([command, words, isFound]).toEqual([command, words, true]);
        }
      }),
      { numRuns: 300 },
    );
    expect(understood).toBeGreaterThan(20);
  });
});
