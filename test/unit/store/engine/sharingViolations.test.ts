import { expect, test } from 'vitest';
import { FileSystemError } from '../../../../src/store/engine/fileSystem';
import { whileInUse } from '../../../../src/store/engine/nodeFileSystem';

/** Fails so often with this error, then returns 7. */
function run(errno: string, failures: number, platform: NodeJS.Platform) {
  let calls = 0;
  const pauses: number[] = [];
  const operation = (): number => {
    calls += 1;
    if (calls <= failures) throw new FileSystemError(errno, 'rename', '/f');
    return 7;
  };
  try {
    return { result: whileInUse(operation, { platform, pause: (ms) => pauses.push(ms) }), calls, pauses };
  } catch {
    return { result: 'threw', calls, pauses };
  }
}

test.each([
  ['EBUSY', 2, 'win32', { result: 7, calls: 3, pauses: [5, 10] }],
  ['EPERM', 7, 'win32', { result: 7, calls: 8, pauses: [5, 10, 20, 40, 80, 160, 385] }],
  ['EACCES', 8, 'win32', { result: 'threw', calls: 8, pauses: [5, 10, 20, 40, 80, 160, 385] }],
  ['ENOENT', 1, 'win32', { result: 'threw', calls: 1, pauses: [] }],
  ['EBUSY', 1, 'linux', { result: 'threw', calls: 1, pauses: [] }],
  ['EPERM', 1, 'darwin', { result: 'threw', calls: 1, pauses: [] }],
] as const)('%s %i times on %s', (errno, failures, platform, expected) => {
  expect(run(errno, failures, platform)).toEqual(expected);
});
