import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { namesToTakeOut } from '../../../../src/tools/sandbox/foundFiles';
import { listFiles, type ListedFiles } from '../../../../src/tools/sandbox/listFiles';
import { putBack, removeInstructionFiles } from '../../../../src/tools/sandbox/removedFiles';
import { WrittenOrders } from '../../../../src/tools/sandbox/writtenOrders';

describe('files that instruct editors and agents, made while a command ran in the sandbox', () => {
  let base: string;
  let folder: string;
  let written: WrittenOrders;
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-aside-')));
    folder = join(base, 'project');
    mkdirSync(folder);
    written = new WrittenOrders();
  });
  afterEach(() => rmSync(base, { recursive: true }));

  const make = (path: string, text: string): string => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const byEditor = (path: string, text: string): void => written.note(make(path, text), text);
  const takeOut = async (before: ListedFiles): ReturnType<typeof removeInstructionFiles> => {
    const made = namesToTakeOut(before, await listFiles(folder)).map((name) => join(folder, name));
    return removeInstructionFiles(made, join(base, 'aside'), (path) => written.has(path));
  };
  const end = async (before: ListedFiles): Promise<readonly string[]> => {
    const { taken, left } = await takeOut(before);
    expect(left).toEqual([]);
    return taken.map(({ path }) => relative(base, path));
  };

  it('are removed; those written through the editor stay', async () => {
    const before = await listFiles(folder);
    make('CLAUDE.md', 'evil');
    byEditor('AGENTS.md', 'ours');
    byEditor('.vscode/settings.json', '{}');
    make('.vscode/tasks.json', 'evil');
    make('.husky/pre-commit', 'evil');
    make('README.md', 'fine');
    expect(await end(before)).toEqual(['project/.husky', 'project/.vscode/tasks.json', 'project/CLAUDE.md']);
    expect(['AGENTS.md', '.vscode/settings.json', 'README.md'].map((path) => existsSync(join(folder, path)))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('are removed when a command has changed what the editor wrote', async () => {
    const before = await listFiles(folder);
    byEditor('AGENTS.md', 'ours');
    make('AGENTS.md', 'ours and evil');
    expect(await end(before)).toEqual(['project/AGENTS.md']);
  });

  it('stay where the editor put them, until they are changed', async () => {
    const before = await listFiles(folder);
    await written.noteAsItIs(make('AGENTS.md', 'copied here'));
    expect(await end(before)).toEqual([]);
    make('AGENTS.md', 'evil');
    expect(await end(before)).toEqual(['project/AGENTS.md']);
  });

  it('are distinguished from those that existed before', async () => {
    make('AGENTS.md', 'there');
    const before = await listFiles(folder);
    make('AGENTS.md', 'the sandbox keeps this from happening');
    expect(await end(before)).toEqual([]);
  });

  it('are recognized by another name of the folder too', async () => {
    const before = await listFiles(folder);
    symlinkSync(folder, join(base, 'link'));
    make('AGENTS.md', 'ours');
    written.note(join(base, 'link', 'AGENTS.md'), 'ours');
    expect(await end(before)).toEqual([]);
  });

  it('are not followed through a link that replaced their folder: the link is removed', async () => {
    mkdirSync(join(folder, '.github'));
    mkdirSync(join(base, 'elsewhere', 'workflows'), { recursive: true });
    const before = await listFiles(folder);
    renameSync(join(folder, '.github'), join(folder, 'g'));
    symlinkSync(join(base, 'elsewhere'), join(folder, '.github'));
    expect(await end(before)).toEqual(['project/.github']);
    expect(existsSync(join(base, 'elsewhere', 'workflows'))).toBe(true);
  });

  it('can be put back, but not over a file that exists by now', async () => {
    const before = await listFiles(folder);
    make('AGENTS.md', 'one');
    make('.husky/pre-commit', 'two');
    const { taken } = await takeOut(before);
    make('AGENTS.md', 'new');
    const left = await putBack(taken);
    expect([
      left.map(({ path }) => relative(folder, path)),
      readFileSync(join(folder, 'AGENTS.md'), 'utf8'),
      readFileSync(join(folder, '.husky/pre-commit'), 'utf8'),
      left.map(({ kept }) => readFileSync(kept, 'utf8')),
    ]).toEqual([['AGENTS.md'], 'new', 'two', ['one']]);
  });

  it('are removed when it is not known who wrote them', async () => {
    make('.vscode/tasks.json', 'evil');
    make('AGENTS.md', 'evil');
    const made = ['.vscode', 'AGENTS.md'].map((name) => join(folder, name));
    const { taken, left } = await removeInstructionFiles(made, join(base, 'aside'), () =>
      Promise.reject(new Error('no answer')),
    );
    expect([taken.map(({ path }) => relative(folder, path)), left]).toEqual([['.vscode', 'AGENTS.md'], []]);
  });

  it('that cannot be moved are named', async () => {
    const before = await listFiles(folder);
    make('AGENTS.md', 'evil');
    writeFileSync(join(base, 'aside'), 'a file in the way');
    const { taken, left } = await takeOut(before);
    expect([taken, left.map(({ path }) => relative(folder, path))]).toEqual([[], ['AGENTS.md']]);
  });
});
