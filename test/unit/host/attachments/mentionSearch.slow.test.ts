import { afterEach, describe, expect, it } from 'vitest';
import { recentLog } from '../../../../src/host/attachments/gitMentions';
import type { SessionQuery } from '../../../../src/store/requests';
import { MentionWorld } from './mentionWorld';
import { summary } from '../scriptedGateway';

let world: MentionWorld;
afterEach(() => world.close());
const files = {
  'src/upload.ts': 'a',
  'src/uploadQueue.ts': 'b',
  'src/deep/preupload.ts': 'c',
  'test/upload.test.ts': 'd',
  '.env': 'KEY=1',
  'README.md': 'r',
};

describe('searching for something to mention', () => {
  it('finds files and folders by name: exact names first, then open files before equal matches', async () => {
    world = new MentionWorld(files);
    const closed = await world.found('upload');
    world.open = ['src/uploadQueue.ts'];
    expect({ closed, open: (await world.found('upl')).slice(0, 2), folder: await world.found('deep') }).toEqual({
      closed: [
        'file:src/upload.ts',
        'file:test/upload.test.ts',
        'file:src/uploadQueue.ts',
        'file:src/deep/preupload.ts',
      ],
      open: ['file:src/uploadQueue.ts', 'file:src/upload.ts'],
      folder: ['folder:src/deep', 'file:src/deep/preupload.ts'],
    });
  });

  it('offers open files and the single-item mentions before the user types', async () => {
    world = new MentionWorld(files);
    world.open = ['README.md'];
    world.selection = { path: `${world.folder}/src/upload.ts`, isFile: true, startLine: 3, endLine: 5, text: 'x' };
    world.problems = [world.problem('README.md', 1, 'error', 'no')];
    world.terminal = { label: 'zsh', text: 'x' };
    world.git('init');
    await world.repository();
    const { mentions } = await world.search.search('', 30, new AbortController().signal);
    expect(mentions.map(({ source, label, detail, kind }) => [source, label, detail, kind])).toEqual([
      ['file:README.md', 'README.md', 'open', 'file'],
      ['selection', 'selection', 'src/upload.ts:3-5', 'selection'],
      ['problems', 'problems', '1 in all files', 'problems'],
      ['problems:README.md', 'problems in README.md', '1', 'problems'],
      ['file:src/upload.ts', 'src/upload.ts', '', 'file'],
      ['file:src/uploadQueue.ts', 'src/uploadQueue.ts', '', 'file'],
      ['file:test/upload.test.ts', 'test/upload.test.ts', '', 'file'],
      ['file:src/deep/preupload.ts', 'src/deep/preupload.ts', '', 'file'],
      ['folder:src', 'src/', 'folder', 'folder'],
      ['folder:test', 'test/', 'folder', 'folder'],
      ['folder:src/deep', 'src/deep/', 'folder', 'folder'],
      ['terminal', 'terminal', 'terminal selection, or the output of the last command', 'terminal'],
      ['git:diff', 'git changes', 'changes since the last commit', 'git'],
      ['git:status', 'git status', 'list of changed files', 'git'],
    ]);
  });

  it('offers no terminal and no repository if there is none, even when the user types their name', async () => {
    world = new MentionWorld(files);
    const found = [await world.found('', 30), await world.found('terminal', 30), await world.found('git', 30)].flat();
    expect(found.filter((source) => /^(terminal|git)/.test(source))).toEqual([]);
    world.isTrusted = false;
    world.git('init');
    expect((await world.found('git', 30)).filter((source) => source.startsWith('git'))).toEqual([]);
  });

  it('keeps the line numbers after a path', async () => {
    world = new MentionWorld(files);
    expect(await world.found('src/upload.ts:10-20', 1)).toEqual(['file:src/upload.ts:10-20']);
  });

  it('offers a file that may hold secrets only when its whole name is typed, and then reads it', async () => {
    world = new MentionWorld({ ...files, 'config/credentials.json': '{}' });
    const before = await world.read('file:.env', '.env');
    const offered = [await world.found('.en'), await world.found('credentials'), await world.found('env')]
      .flat()
      .filter((source) => /env|credentials/.test(source));
    const full = await world.found('.env');
    expect({
      before,
      offered,
      full,
      read: await world.read('file:.env', '.env'),
      other: await world.read('file:config/credentials.json', 'credentials'),
    }).toEqual({
      before:
        'MentionError: .env may contain secrets, so it wasn’t attached. Type its full name after @ to ' +
        'attach it anyway.',
      offered: [],
      full: ['file:.env'],
      read: { kind: 'attachment', label: '.env', source: 'file:.env', text: 'KEY=1' },
      other:
        'MentionError: credentials may contain secrets, so it wasn’t attached. Type its full name after ' +
        '@ to attach it anyway.',
    });
  });

  it('finds symbols by part of their name, only after a #, and none from files with secrets', async () => {
    world = new MentionWorld(files);
    world.symbols = [world.symbol('retryUpload', 'src/upload.ts', 3, 9), world.symbol('uploadKey', '.env', 1, 1)];
    expect({
      mixed: (await world.found('retry')).at(-1),
      only: await world.found('#upload'),
      short: (await world.found('re')).filter((source) => source.startsWith('symbol')),
    }).toEqual({
      mixed: 'symbol:src/upload.ts:3-9#retryUpload',
      only: ['symbol:src/upload.ts:3-9#retryUpload'],
      short: [],
    });
  });

  it('finds commits by hash and subject, and none in an untrusted folder', async () => {
    world = new MentionWorld(files);
    world.git('init');
    world.git('add', 'src');
    world.git('commit', '-m', 'Retry uploads');
    const source = await world.commit('retry');
    const [found] = (await world.search.search('git: retry', 1, new AbortController().signal)).mentions;
    const read = await recentLog({ ...world.places.git, isTrusted: () => false }, new AbortController().signal);
    expect({ found: [found?.detail, found?.kind, found?.source === source], read }).toEqual({
      found: ['Retry uploads', 'git', true],
      read: [],
    });
  });

  it('finds sessions by title, never private ones', async () => {
    const asked: SessionQuery[] = [];
    world = new MentionWorld(files, {
      listSessions: async (query) => {
        asked.push(query);
        return [summary('s1', { title: 'Fix the flaky test' })];
      },
    });
    expect({ found: await world.found('flaky'), asked }).toEqual({
      found: ['session:s1'],
      asked: [{ limit: 8, withoutPrivate: true, text: 'flaky' }],
    });
  });

  it('answers without a source that takes too long or fails', async () => {
    world = new MentionWorld(files, { listSessions: () => new Promise(() => undefined) });
    world.patience = 1;
    world.listing = new Promise(() => undefined);
    world.open = ['src/upload.ts'];
    expect(await world.found('upload')).toEqual(['file:src/upload.ts']);
  });

  it('answers the first question with known results, says that the rest is missing, and gives it to a full request', async () => {
    world = new MentionWorld(files);
    world.patience = 1;
    let listed = (): void => undefined;
    world.listing = new Promise((resolve) => (listed = resolve));
    world.open = ['src/upload.ts'];
    const ask = async (whole: boolean) => {
      const { mentions, isWhole } = await world.search.search('upload', 10, new AbortController().signal, whole);
      return { found: mentions.map(({ source }) => source), isWhole };
    };
    const atOnce = await ask(false);
    const later = ask(true);
    listed();
    expect([atOnce, await later, (await ask(false)).isWhole]).toEqual([
      { found: ['file:src/upload.ts'], isWhole: false },
      {
        found: [
          'file:src/upload.ts',
          'file:test/upload.test.ts',
          'file:src/uploadQueue.ts',
          'file:src/deep/preupload.ts',
        ],
        isWhole: true,
      },
      true,
    ]);
  });
});

describe('the file list', () => {
  it('is built once, and again after a file is added or removed', async () => {
    world = new MentionWorld(files);
    await world.found('upload');
    await world.found('upload');
    const once = world.lists;
    world.write('src/newUpload.ts', 'n');
    const before = await world.found('newUpload');
    world.names.changed();
    expect({ once, before, after: await world.found('newUpload'), lists: world.lists }).toEqual({
      once: 1,
      before: [],
      after: ['file:src/newUpload.ts'],
      lists: 2,
    });
  });

  it('is retried after a failure; meanwhile the previous list is used', async () => {
    world = new MentionWorld(files);
    await world.names.fresh();
    world.listing = Promise.reject(new Error('no disk'));
    world.names.changed();
    const meanwhile = await world.found('README');
    world.listing = Promise.resolve();
    await world.names.fresh();
    expect({ meanwhile, lists: world.lists }).toEqual({ meanwhile: ['file:README.md'], lists: 3 });
  });
});
