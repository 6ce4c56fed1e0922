import { describe, expect, it } from 'vitest';
import { programOnPath, windowsProgram } from '../../../src/base/windowsPrograms';

const files = new Set([
  'C:\\Program Files\\nodejs\\node.exe',
  'C:\\Program Files\\nodejs\\npx.cmd',
  'C:\\Program Files\\nodejs\\npx',
  'D:\\tools\\uvx.exe',
  'D:\\tools\\run.ps1',
]);
const environment = { Path: '.;bin;"C:\\Program Files\\nodejs";D:\\tools', PATHEXT: '.COM;.EXE;.BAT;.CMD;.PY' };

describe('the program that a command means on Windows', () => {
  it.each([
    ['npx', 'C:\\Program Files\\nodejs\\npx.cmd'],
    ['node.exe', 'C:\\Program Files\\nodejs\\node.exe'],
    ['NPX.CMD', null],
    ['uvx', 'D:\\tools\\uvx.exe'],
    ['run', null],
    ['nothing', null],
    ['.\\server.cmd', '.\\server.cmd'],
    ['C:\\own\\server.exe', 'C:\\own\\server.exe'],
  ])('%s', (command, expected) => {
    expect(programOnPath(command, environment, (path) => files.has(path))).toBe(expected);
  });

  it('is never looked for in the folder that the command runs in', () => {
    const looked: string[] = [];
    programOnPath('npx', environment, (path) => {
      looked.push(path);
      return false;
    });
    expect(looked.every((path) => /^[CD]:\\/.test(path))).toBe(true);
  });
});

it('programs of Windows are named with their folder', () => {
  expect([windowsProgram('taskkill.exe', { SYSTEMROOT: 'D:\\WINNT' }), windowsProgram('cmd.exe', {})]).toEqual([
    'D:\\WINNT\\System32\\taskkill.exe',
    'C:\\Windows\\System32\\cmd.exe',
  ]);
});
