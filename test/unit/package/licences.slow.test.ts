import { describe, expect, it } from 'vitest';
import { isAllowed, lockedPackages } from '../../../scripts/licences.mjs';

describe('licenses', () => {
  it.each([
    ['MIT', true],
    ['GPL-3.0-or-later', false],
    ['(MIT OR GPL-3.0-or-later)', true],
    ['(MIT AND GPL-3.0-or-later)', false],
    ['MIT AND Zlib', true],
    ['none', false],
    ['SEE LICENSE IN LICENSE', false],
  ])('%s is allowed: %s', (expression, allowed) => {
    expect(isAllowed(expression, ['MIT', 'Zlib'])).toBe(allowed);
  });

  it('are read from a lock file; a package without one has none', () => {
    expect(
      lockedPackages({
        '': { version: '0.1.0', license: 'MIT' },
        'node_modules/a': { version: '1.0.0', license: 'ISC' },
        'node_modules/a/node_modules/@b/c': { version: '2.0.0' },
        'node_modules/@vscode/vsce-sign-linux-x64': { version: '3.0.0', license: 'SEE LICENSE IN LICENSE.txt' },
      }),
    ).toEqual([
      { name: 'a', version: '1.0.0', license: 'ISC' },
      { name: '@b/c', version: '2.0.0', license: 'none' },
      { name: '@vscode/vsce-sign-linux-x64', version: '3.0.0', license: 'LicenseRef-Microsoft' },
    ]);
  });
});
