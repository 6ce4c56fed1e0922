import { describe, expect, test } from 'vitest';
import { shellCode } from '../../../../src/host/codeActions/shellCode';

describe('shell code that goes into a terminal', () => {
  test.each([
    ['one line is run', 'npm test\n', 'bash', { kind: 'run', text: 'npm test' }],
    ['several are put there', 'npm ci\r\nnpm test\n', 'bash', { kind: 'place', text: 'npm ci\nnpm test' }],
    ['a tab would complete, so it is put there', 'echo\ta', 'sh', { kind: 'place', text: 'echo\ta' }],
    [
      'a recorded session gives its command',
      '$ npm test\n\n> upload@1.0.0 test\n12 passed',
      'console',
      { kind: 'run', text: 'npm test' },
    ],
    [
      'a recorded session of PowerShell too',
      'PS C:\\a> Get-Item b\nb',
      'powershell',
      { kind: 'run', text: 'Get-Item b' },
    ],
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
