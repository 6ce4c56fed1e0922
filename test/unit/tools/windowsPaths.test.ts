import { win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AccessPaths, windowsPathProblem } from '../../../src/tools/accessPaths';
import { PathRefused } from '../../../src/tools/workspacePaths';
import type { WorkspaceFiles } from '../../../src/tools/workspaceFiles';

const roots = ['C:\\work\\project', '\\\\server\\share\\team'];

describe('a path on Windows', () => {
  it.each([
    'src\\a.ts',
    'src/a.ts',
    '..\\other\\a.ts',
    './a.ts',
    'C:\\Users\\me\\a.ts',
    'c:/Users/me/a.ts',
    '~\\a.ts',
    'console.ts',
    'com10.txt',
    'auxiliary\\nulls.ts',
    '.gitignore',
    '\\\\server\\share\\team\\a.ts',
    '//server/share/team/src/../a.ts',
  ])('%s is an ordinary one', (written) => {
    expect(windowsPathProblem(written, roots)).toBeNull();
  });

  it.each([
    ['.git::$INDEX_ALLOCATION\\config', 'hidden stream'],
    ['C:\\work\\project\\a.ts:b', 'hidden stream'],
    ['.vscode.\\tasks.json', 'ends with a dot'],
    ['.env ', 'ends with a dot or a space'],
    ['.env .\\x', 'ends with a dot'],
    ['src\\nul', 'name of a device'],
    ['AUX.txt', 'name of a device'],
    ['lpt1.tar.gz', 'name of a device'],
    ['COM¹', 'name of a device'],
    ['\\\\?\\C:\\a', 'address of a device'],
    ['//./PhysicalDrive0', 'address of a device'],
    ['\\\\attacker\\share\\a', 'on another machine'],
    ['//server/share/team/../other/a', 'on another machine'],
    ['\\\\server\\share\\team-2\\a', 'on another machine'],
    ['C:a.ts', 'without a folder'],
    ['C:', 'without a folder'],
  ])('%s is refused', (written, why) => {
    expect(windowsPathProblem(written, roots)).toContain(why);
  });

  it('is refused before anything looks at it', async () => {
    const looks: unknown[] = [];
    const look = (place: unknown): Promise<never> => {
      looks.push(place);
      return Promise.reject(new Error('looked'));
    };
    const files: WorkspaceFiles = {
      roots: () => [{ name: 'project', path: 'C:\\work\\project' }],
      kindOf: look,
      size: look,
      read: look,
      list: look,
      searchText: look,
      findFiles: look,
      realPath: look,
    };
    // As on Windows, where the imported module is not the object `win32`.
    const paths = new AccessPaths(files, { path: { ...win32 }, home: 'C:\\Users\\me' });
    for (const written of ['\\\\attacker\\share\\a', 'nul', 'file:///C:/a.ts:b'])
      await expect(paths.resolveAccess(written)).rejects.toBeInstanceOf(PathRefused);
    expect(looks).toEqual([]);
  });
});
