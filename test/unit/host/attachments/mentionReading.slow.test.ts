import { symlinkSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { attachedFiles, type PickedFile } from '../../../../src/host/attachments/attachmentService';
import { imageNotice, sendableParts } from '../../../../src/host/attachments/attachmentService';
import { maxImageBytes } from '../../../../src/protocol/attachmentProtocol';
import type { Message } from '../../../../src/transcript/message';
import { session, userMessage } from '../scriptedGateway';
import { MentionWorld } from './mentionWorld';

let world: MentionWorld;
afterEach(() => world.close());
const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const text = (part: unknown): unknown =>
  typeof part === 'object' && part !== null && 'text' in part ? part.text : part;

describe('a mention, when the prompt is sent', () => {
  it('of a file becomes its text, its lines or its image', async () => {
    world = new MentionWorld({ 'src/a.ts': 'one\r\ntwo\r\nthree\r\n', 'shot.png': png, 'src/b/c.ts': 'c' });
    expect([
      await world.read('file:src/a.ts', 'src/a.ts'),
      await world.read('file:src/a.ts:2-3', 'src/a.ts:2-3'),
      await world.read('file:shot.png', 'shot.png'),
      text(await world.read('file:src', 'src/')),
    ]).toEqual([
      { kind: 'attachment', label: 'src/a.ts', source: 'file:src/a.ts', text: 'one\ntwo\nthree' },
      { kind: 'attachment', label: 'src/a.ts:2-3', source: 'file:src/a.ts:2-3', text: 'two\nthree' },
      { kind: 'image', mediaType: 'image/png', dataBase64: Buffer.from(png).toString('base64'), name: 'shot.png' },
      'a.ts\nb/\n  c.ts',
    ]);
  });

  it('is refused with a sentence that names it: missing, binary, too large, outside, or led outside by a link', async () => {
    world = new MentionWorld({
      'bin.dat': Uint8Array.from([1, 0, 2]),
      'big.png': Buffer.concat([png, Buffer.alloc(maxImageBytes)]),
      'big.txt': 'x'.repeat(11 * 1024 * 1024),
      'a.ts': 'a',
    });
    writeFileSync(path.join(world.home, 'outside.txt'), 'o');
    symlinkSync(path.join(world.home, 'outside.txt'), path.join(world.folder, 'link.txt'));
    const told = await Promise.all(
      [
        'gone.ts',
        'bin.dat',
        'big.png',
        'big.txt',
        '../outside.txt',
        'link.txt',
        'a.ts:9',
        path.join(world.home, 'outside.txt'),
      ].map((name) => world.read(`file:${name}`, name.startsWith(world.home) ? 'outside.txt' : name)),
    );
    expect(told).toEqual([
      'MentionError: gone.ts no longer exists. Remove it, or mention something else.',
      'MentionError: bin.dat isn’t text or a supported image (PNG, JPEG, GIF, or WebP).',
      'MentionError: big.png is an image larger than 5 MB, which is too large to send.',
      'MentionError: big.txt is larger than 10 MB and can’t be attached.',
      'MentionError: ../outside.txt is outside the open folders. Attach it as a file instead.',
      'MentionError: link.txt is outside the open folders. Attach it as a file instead.',
      'MentionError: a.ts:9 refers to lines that are no longer in the file.',
      'MentionError: outside.txt is outside the open folders. Attach it as a file instead.',
    ]);
  });

  it('of a symbol uses its current location; without a language extension, its old lines if they still name it', async () => {
    world = new MentionWorld({ 'a.ts': '// moved\n// down\nfunction retry() {\n  go();\n}\n' });
    world.symbols = [world.symbol('retry', 'a.ts', 3, 5)];
    const moved = await world.read('symbol:a.ts:1-2#retry', 'retry');
    world.symbols = null;
    const lines = [
      await world.read('symbol:a.ts:3-5#retry', 'retry'),
      await world.read('symbol:a.ts:1-2#retry', 'retry'),
    ];
    world.symbols = [world.symbol('other', 'a.ts', 3, 5)];
    expect([moved, ...lines, await world.read('symbol:a.ts:3-5#retry', 'retry')]).toEqual([
      {
        kind: 'attachment',
        label: 'retry (a.ts:3-5)',
        source: 'symbol:a.ts:1-2#retry',
        text: 'function retry() {\n  go();\n}',
      },
      {
        kind: 'attachment',
        label: 'retry (a.ts:3-5)',
        source: 'symbol:a.ts:3-5#retry',
        text: 'function retry() {\n  go();\n}',
      },
      'MentionError: retry is no longer in a.ts. Remove it, or mention it again.',
      'MentionError: retry is no longer in a.ts. Remove it, or mention it again.',
    ]);
  });

  it("of problems becomes the editor's report, worst first, limited to one file if one is named", async () => {
    world = new MentionWorld({ 'a.ts': 'a', 'b.ts': 'b' });
    world.problems = [
      world.problem('a.ts', 2, 'warning', 'unused'),
      world.problem('b.ts', 1, 'error', 'no such\nname'),
    ];
    const all = text(await world.read('problems'));
    const one = text(await world.read('problems:a.ts'));
    world.problems = [];
    expect([all, one, text(await world.read('problems'))]).toEqual([
      'b.ts:1:1 error: no such name (ts)\na.ts:2:1 warning: unused (ts)',
      'a.ts:2:1 warning: unused (ts)',
      'The editor reports no problems.',
    ]);
  });

  it('of selection and terminal becomes their current content, or a sentence', async () => {
    world = new MentionWorld({ 'a.ts': 'a' });
    const nothing = [await world.read('selection'), await world.read('terminal')];
    world.selection = { path: path.join(world.folder, 'a.ts'), isFile: true, startLine: 1, endLine: 1, text: 'a' };
    world.terminal = { label: '$ npm test', text: 'failed' };
    const there = [await world.read('selection'), await world.read('terminal')];
    world.selection = { path: path.join(world.folder, '.env'), isFile: true, startLine: 1, endLine: 1, text: 'KEY' };
    const secret = await world.read('selection');
    world.write('.env', 'KEY');
    symlinkSync('.env', path.join(world.folder, 'notes.md'));
    world.selection = {
      path: path.join(world.folder, 'notes.md'),
      isFile: true,
      startLine: 1,
      endLine: 1,
      text: 'KEY',
    };
    expect([...nothing, ...there, secret, await world.read('selection')]).toEqual([
      'MentionError: Nothing is selected in the editor. Select something, or remove selection.',
      'MentionError: Nothing is selected in the terminal, and Hermes hasn’t run a command in this ' +
        'window. Remove terminal.',
      { kind: 'attachment', label: 'a.ts:1', source: 'selection', text: 'a' },
      { kind: 'attachment', label: '$ npm test', source: 'terminal', text: 'failed' },
      'MentionError: .env may contain secrets, so it wasn’t attached. Type its full name after @ to attach it anyway.',
      'MentionError: notes.md may contain secrets, so it wasn’t attached. Type its full name after @ ' +
        'to attach it anyway.',
    ]);
  });

  it('of git becomes status, changes or a commit, but never content of secret files, and nothing in an untrusted folder', async () => {
    world = new MentionWorld({ 'a.ts': 'old\n', '.env': 'KEY=before\n' });
    world.git('init');
    world.git('add', '.');
    world.git('commit', '-m', 'First\n\nWith a body');
    world.write('a.ts', 'new\n');
    world.write('.env', 'KEY=after\n');
    world.write('added.ts', 'x\n');
    world.git('add', 'added.ts');
    const commit = await world.commit('first');
    const told = [await world.read('git:status'), await world.read('git:diff'), await world.read(commit)].map((part) =>
      String(text(part)),
    );
    world.isTrusted = false;
    expect({
      status: [' M a.ts', 'A  added.ts'].map((line) => told[0]?.includes(line)),
      diff: ['-old', '+new', '+x', '.env differs too'].map((line) => told[1]?.includes(line)),
      commit: ['First', 'With a body', '+old', '.env differs too'].map((line) => told[2]?.includes(line)),
      secrets: told.join().includes('KEY='),
      untrusted: await world.read('git:diff'),
    }).toEqual({
      status: [true, true],
      diff: [true, true, true, true],
      commit: [true, true, true, true],
      secrets: false,
      untrusted:
        'MentionError: Couldn’t read git:diff: Git is unavailable because this folder isn’t trusted (Restricted Mode).',
    });
  });

  it('of a session becomes its title and as many of its last answers as fit', async () => {
    const rows: readonly Message[] = [
      userMessage('u1', 'q'.repeat(15_000)),
      userMessage('u2', 'r'.repeat(15_000)),
      userMessage('u3', 'the newest'),
    ];
    world = new MentionWorld(
      {},
      {
        getSession: async (id) =>
          id === 's1' ? session('s1', { title: 'Fix it' }) : id === 's2' ? session('s2', { trashedAt: 5 }) : null,
        readTranscript: async () => ({
          messages: rows,
          turns: [],
          versions: [],
          hasEarlier: false,
          later: 0,
          total: 3,
        }),
      },
    );
    const told = String(text(await world.read('session:s1', 'Fix it')));
    expect([
      told.startsWith('# Fix it\n\n(The end of the session.)\n\n## Person\n\nrrr'),
      told.endsWith('## Person\n\nthe newest'),
      told.length < 20_100,
      await world.read('session:s2', 'old'),
    ]).toEqual([true, true, true, 'MentionError: old no longer exists. Remove it, or mention something else.']);
  });
});

describe('the mentions next to a text', () => {
  it('are read all at once, in order; one unreadable mention stops the prompt', async () => {
    world = new MentionWorld({ 'a.ts': 'a', 'b.ts': 'b' });
    const mention = (name: string) => ({ kind: 'mention' as const, source: `file:${name}`, label: name });
    const read = world.reading.read.bind(world.reading);
    const sent = await sendableParts(
      [mention('b.ts'), { kind: 'attachment', label: 'pinned', source: 'terminal', text: 't' }, mention('a.ts')],
      read,
    );
    await expect(sendableParts([mention('a.ts'), mention('gone.ts')], read)).rejects.toThrow(
      'gone.ts no longer exists.',
    );
    const images = Array.from({ length: 11 }, () => ({
      kind: 'image' as const,
      mediaType: 'image/png',
      dataBase64: 'aaaa',
    }));
    await expect(sendableParts(images, read)).rejects.toThrow('You can send at most 10 images with one prompt.');
    expect(sent.map((part) => (part.kind === 'attachment' ? part.label : part.kind))).toEqual([
      'b.ts',
      'pinned',
      'a.ts',
    ]);
  });

  it('are reported to hold images if the model takes none, and only if that is known', () => {
    world = new MentionWorld({});
    const image = [{ kind: 'image' as const, mediaType: 'image/png', dataBase64: 'aaaa' }];
    expect(
      [false, null, true].map((images) => imageNotice(image, { label: 'small', images })?.slice(0, 28) ?? null),
    ).toEqual(['small can’t see images. It i', null, null]);
  });
});

describe('a file that the user picked or dropped', () => {
  it('is mentioned if it is in the open folders, else read immediately; a file that cannot be attached is reported', async () => {
    world = new MentionWorld({});
    const file = (over: Partial<PickedFile>): PickedFile => ({
      shown: 'a.ts',
      isInside: true,
      kind: 'file',
      size: async () => 1,
      read: async () => Buffer.from('o'),
      ...over,
    });
    const attached = await attachedFiles([
      file({}),
      file({ shown: 'src', kind: 'directory' }),
      file({ shown: '/o/o.txt', isInside: false }),
      file({ shown: '/o/o.png', isInside: false, read: async () => png }),
      file({ shown: '/o', isInside: false, kind: 'directory' }),
      file({ shown: '/o/.env', isInside: false }),
      file({ shown: 'gone', kind: null }),
      file({ shown: '/o/big', isInside: false, size: async () => 1e9 }),
      file({ shown: '/o/locked', isInside: false, read: () => Promise.reject(new Error('no permission')) }),
      { problem: 'https://example.com isn’t a file that the editor can read.' },
    ]);
    expect(attached).toEqual({
      parts: [
        { kind: 'mention', source: 'file:a.ts', label: 'a.ts' },
        { kind: 'mention', source: 'folder:src', label: 'src/' },
        { kind: 'attachment', label: '/o/o.txt', source: 'file:/o/o.txt', text: 'o' },
        { kind: 'image', mediaType: 'image/png', dataBase64: Buffer.from(png).toString('base64'), name: '/o/o.png' },
      ],
      problems: [
        '/o is a folder outside your workspace. Attach individual files instead.',
        '/o/.env may contain secrets, so it wasn’t attached. Type its full name after @ to attach it anyway.',
        'gone no longer exists. Remove it, or mention something else.',
        '/o/big is larger than 10 MB and can’t be attached.',
        'Couldn’t read /o/locked: no permission',
        'https://example.com isn’t a file that the editor can read.',
      ],
    });
  });
});
