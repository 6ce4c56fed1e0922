import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccessPaths } from '../../../src/tools/accessPaths';
import { isSecret } from '../../../src/tools/pathTreatment';
import { FolderOnDisk } from '../../support/folderOnDisk';

let home: string;
let one: AccessPaths;
let two: AccessPaths;

beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), 'hermes-access-')));
  const root = path.join(home, 'project');
  mkdirSync(path.join(root, 'src'), { recursive: true });
  mkdirSync(path.join(home, 'outside'));
  mkdirSync(path.join(home, 'second', 'lib'), { recursive: true });
  writeFileSync(path.join(root, 'src', 'a.ts'), 'a');
  writeFileSync(path.join(home, 'second', 'lib', 'b.ts'), 'b');
  writeFileSync(path.join(home, 'outside', 'key.txt'), 'hidden');
  symlinkSync(path.join(home, 'outside'), path.join(root, 'out'));
  symlinkSync(path.join(home, 'outside', 'key.txt'), path.join(root, 'src', 'key'));
  symlinkSync(path.join(home, 'outside', 'not-yet'), path.join(root, 'dangling'));
  symlinkSync('src', path.join(root, 'source'));
  symlinkSync('loop', path.join(root, 'loop'));
  symlinkSync(root, path.join(home, 'by-link'));
  one = new AccessPaths(new FolderOnDisk([{ name: 'project', path: root }]), { home });
  two = new AccessPaths(
    new FolderOnDisk([
      { name: 'project', path: path.join(home, 'by-link') },
      { name: 'second', path: path.join(home, 'second') },
    ]),
    { home },
  );
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const told = async (paths: AccessPaths, written: string, folder: string | null = null): Promise<string> => {
  try {
    const found = await paths.resolveAccess(written.replaceAll('<home>', home), folder);
    return `${found.isInside ? 'inside' : 'outside'} ${path.relative(home, found.path)} as ${found.shown}`.replaceAll(
      home,
      '<home>',
    );
  } catch (error) {
    return `${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`.replaceAll(home, '<home>');
  }
};

describe('a path for a hook', () => {
  it('is the place that a tool uses, below its folder as the user opened it', async () => {
    const written = [' src/a.ts', 'second/lib/b.ts', `file://${home}/project/src/a.ts`, 'source/new.ts', 'out/key.txt'];
    const found = await Promise.all(written.map((each) => two.resolveShown(each)));
    expect(found.map((each) => path.relative(home, each))).toEqual([
      'by-link/src/a.ts',
      'second/lib/b.ts',
      'by-link/src/a.ts',
      'by-link/src/new.ts',
      'outside/key.txt',
    ]);
  });
});

describe('a path as written', () => {
  it.each([
    ['src/a.ts', 'inside project/src/a.ts as src/a.ts'],
    ['', 'inside project as .'],
    ['<home>/project/src/../src/./a.ts', 'inside project/src/a.ts as src/a.ts'],
    ['file://<home>/project/src/a.ts', 'inside project/src/a.ts as src/a.ts'],
    ['new/folder/file.ts', 'inside project/new/folder/file.ts as new/folder/file.ts'],
    ['source/new.ts', 'inside project/src/new.ts as src/new.ts'],
    ['..foo/x', 'inside project/..foo/x as ..foo/x'],
    ['../outside/key.txt', 'outside outside/key.txt as ~/outside/key.txt'],
    ['~/outside/new.txt', 'outside outside/new.txt as ~/outside/new.txt'],
    ['~', 'outside  as <home>'],
    ['out/key.txt', 'outside outside/key.txt as ~/outside/key.txt'],
    ['out/new/deep.txt', 'outside outside/new/deep.txt as ~/outside/new/deep.txt'],
    ['src/key', 'outside outside/key.txt as ~/outside/key.txt'],
    ['<home>/by-link/src/a.ts', 'inside project/src/a.ts as src/a.ts'],
    ['<home>/project-2/a.ts', 'outside project-2/a.ts as ~/project-2/a.ts'],
    [
      'dangling',
      'PathRefused: <home>/project/dangling is a link to something that does not exist. Work with the file it should lead to instead.',
    ],
    [
      'dangling/below',
      'PathRefused: <home>/project/dangling is a link to something that does not exist. Work with the file it should lead to instead.',
    ],
    ['a\0b', 'PathRefused: The path contains a null character.'],
    [
      'file://host/share/x',
      'PathRefused: file://host/share/x is not an address of a file on this machine. Give a path.',
    ],
  ])('%j', async (written, expected) => {
    expect(await told(one, written)).toBe(expected);
  });

  it('a link that leads to itself is refused', async () => {
    expect(await told(one, 'loop')).toMatch(/ELOOP|leads back to itself/);
  });

  it('is judged by the file that it finds, whatever it looks like', async () => {
    writeFileSync(path.join(home, 'project', '.env'), 'KEY=three');
    mkdirSync(path.join(home, 'project', 'my\u00a0.ssh'));
    symlinkSync(path.join(home, 'project', '.env'), path.join(home, 'project', 'plain\u202fname.txt'));
    symlinkSync(path.join(home, 'outside'), path.join(home, 'project', 'way\u202fout'));
    const names = [
      '.e\u200bnv',
      '\u2060.env\ufe0f',
      'plain name.txt',
      'way out/key.txt',
      'my .ssh/../.env',
      '.\u2024env',
    ];
    const found = await Promise.all(
      names.map(async (name) => {
        const place = await one.resolveAccess(name);
        return [place.shown, place.isInside, isSecret(place.shown)];
      }),
    );
    expect(found).toEqual([
      ['.env', true, true],
      ['.env', true, true],
      ['.env', true, true],
      ['~/outside/key.txt', false, false],
      ['.env', true, true],
      ['.\u2024env', true, true],
    ]);
  });

  it('starts at the given folder', async () => {
    expect(await told(one, 'a.ts', path.join(home, 'project', 'src'))).toBe('inside project/src/a.ts as src/a.ts');
  });

  it.each([
    ['lib/b.ts', 'inside second/lib/b.ts as second/lib/b.ts'],
    ['second/lib/b.ts', 'inside second/lib/b.ts as second/lib/b.ts'],
    ['second/lib/new.ts', 'inside second/lib/new.ts as second/lib/new.ts'],
    ['new.ts', 'inside project/new.ts as project/new.ts'],
    ['src/a.ts', 'inside project/src/a.ts as project/src/a.ts'],
    ['<home>/by-link/x', 'inside project/x as project/x'],
  ])('with several folders: %s', async (written, expected) => {
    expect(await told(two, written)).toBe(expected);
  });

  it('needs a folder for a relative path', async () => {
    expect(await told(new AccessPaths(new FolderOnDisk([])), 'a.ts')).toBe(
      'PathRefused: No folder is open in the editor. Give an absolute path, or ask the person to open a folder.',
    );
  });
});
