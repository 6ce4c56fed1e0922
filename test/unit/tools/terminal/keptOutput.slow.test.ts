import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OutputEnds } from '../../../../src/tools/terminal/outputEnds';
import { OutputFile } from '../../../../src/tools/terminal/outputFile';
import { OutputFolder } from '../../../../src/tools/terminal/outputFolder';
import { decodePart, plainText } from '../../../../src/tools/terminal/plainText';
import { bundleProgram, NodeProgram } from '../../../support/nodeProgram';
import { TerminalWorld } from '../../../support/terminalWorld';

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-output-')));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the file of an output', () => {
  it('holds what was appended in order, and refuses to overwrite', async () => {
    const file = await OutputFile.create(join(home, 'a', 'b.log'));
    await Promise.all(['one ', 'two ', 'three'].map((text) => file.append(bytes(text))));
    await file.close();
    expect(readFileSync(file.path, 'utf8')).toBe('one two three');
    await expect(OutputFile.create(file.path)).rejects.toThrow(/EEXIST/);
  });

  it('keeps up to its limit and notes that there was more', async () => {
    const file = await OutputFile.create(join(home, 'full.log'), 5);
    const kept = [await file.append(bytes('abc')), await file.append(bytes('defg')), await file.append(bytes('hij'))];
    await file.close();
    expect(kept.map((part) => new TextDecoder().decode(part))).toEqual(['abc', 'de', '']);
    expect(readFileSync(file.path, 'utf8')).toBe('abcde\n… output beyond 100 MB was not kept\n');
  });
});

describe('a disk that is full', () => {
  it('ends the command, shows nothing that is not kept, and is reported', async () => {
    const seen: string[] = [];
    const outputs = new OutputFolder(() => join(home, 'outputs'), { now: () => 0 });
    outputs.create = async () => {
      const device = await open('/dev/full', 'w');
      return new OutputFile('/dev/full', {
        write: async (piece) => void (await device.write(piece)),
        close: () => device.close(),
      });
    };
    const world = new TerminalWorld({ outputs });
    const output = await world.call(
      'run_command',
      { command: 'echo secret; sleep 1000' },
      { report: (progress) => void seen.push(JSON.stringify(progress)) },
    );
    expect(world.resultText(output)).toBe(
      'failed: Its output could not be kept (ENOSPC: no space left on device, write), so the command was stopped; it may have run in part. Ended by signal SIGTERM after <time> in the open folder.\n\n(no output)',
    );
    expect(seen).toEqual([]);
    await world.dispose();
  });
});

describe('the remembered part of an output', () => {
  const omitted = (count: number): string => `[${count}]`;
  const remember = (text: string, piece: number): OutputEnds => {
    const ends = new OutputEnds();
    const all = bytes(text);
    for (let from = 0; from < all.length; from += piece) ends.add(all.subarray(from, from + piece));
    return ends;
  };

  it.each([1, 2, 3, 7, 1000, 65_536, 200_000])(
    'is the same whether it comes in pieces of %i bytes or at once',
    (piece) => {
      const text = 'ä€😀z'.repeat(30_000);
      const whole = remember(text, Number.MAX_SAFE_INTEGER);
      const parts = remember(text, piece);
      expect([parts.bytes, parts.tail(100), parts.excerpt(900, omitted)]).toEqual([
        whole.bytes,
        whole.tail(100),
        whole.excerpt(900, omitted),
      ]);
      expect(text.endsWith(parts.tail(100))).toBe(true);
      expect(parts.excerpt(900, omitted)).not.toContain('\ufffd');
    },
  );

  it('counts every omitted byte', () => {
    const ends = remember('x'.repeat(1_000_000), 4096);
    expect(ends.excerpt(3000, omitted)).toBe(`${'x'.repeat(1000)}\n[997000]\n${'x'.repeat(2000)}`);
    expect(remember('short', 2).excerpt(3000, omitted)).toBe('short');
    expect(remember('', 2).excerpt(3000, omitted)).toBe('');
  });
});

describe('plain text', () => {
  it.each([
    ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
    ['a bar drawn over and over', '10%\r20%\r\u001b[K30%\rdone\n', 'done\n'],
    ['a bar that ends where it began', '10%\r20%\r', '20%'],
    ['lines of Windows', 'a\r\nb\r\r\nc', 'a\nb\nc'],
    ['titles and links', '\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'alink'],
    ['a write to the clipboard', '\u001b]52;c;aGk=\u0007after', 'after'],
    ['bells and backspaces', 'a\u0007b\bc\u0000d', 'acd'],
    ['tabs and empty lines', 'a\tb\n\nc', 'a\tb\n\nc'],
  ])('leaves out terminal control codes: %s', (_, text, plain) => expect(plainText(text)).toBe(plain));

  it.each([
    ['a character cut at the beginning', [0x82, 0xac, 0x61], 'a'],
    ['a character cut at the end', [0x61, 0xe2, 0x82], 'a'],
    ['what is no UTF-8', [0x61, 0xff, 0x62], 'a\ufffdb'],
  ])('is decoded from bytes with %s', (_, part, text) => expect(decodePart(Uint8Array.from(part))).toBe(text));
});

describe('the folder of outputs', () => {
  const call = (conversationId: string, callId: string) => ({ conversationId, turnUid: 't', callId });
  const make = async (folder: OutputFolder, conversationId: string, callId: string, ageDays: number) => {
    const file = await folder.create(call(conversationId, callId));
    await file.close();
    utimesSync(file.path, 1_000_000_000 - ageDays * 86_400, 1_000_000_000 - ageDays * 86_400);
    return file.path;
  };
  const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

  it('deletes old outputs, except those being written', async () => {
    const folder = new OutputFolder(() => join(home, 'outputs'), { now: () => 1_000_000_000 });
    const [fresh, old, written] = [
      await make(folder, 'a', '1', 29),
      await make(folder, 'a', '2', 31),
      await make(folder, 'b', '3', 31),
    ];
    expect(await folder.tidy((file) => file === written)).toBe(1);
    expect([fresh, old, written].map(exists)).toEqual([true, false, true]);
  });

  it('forgets a conversation and nothing else', async () => {
    const folder = new OutputFolder(() => join(home, 'outputs'), { now: () => 0 });
    const [one, other] = [await make(folder, 'one', '1', 0), await make(folder, 'other', '1', 0)];
    await folder.forget('one');
    await folder.forget('..');
    expect([one, other].map(exists)).toEqual([false, true]);
  });

  it('recognizes its files by place, not by name', async () => {
    mkdirSync(join(home, 'real'));
    symlinkSync(join(home, 'real'), join(home, 'linked'));
    const folder = new OutputFolder(() => join(home, 'linked'), { now: () => 0 });
    const file = await make(folder, 'c', '1', 0);
    writeFileSync(join(home, 'x.log'), '');
    expect(
      [
        realpathSync(file),
        join(home, 'x.log'),
        join(home, 'real', '..', 'x.log'),
        join(home, 'real', 'c', 'state.db'),
      ].map((path) => folder.isOwnOutput(path)),
    ).toEqual([true, false, false, false]);
    expect(['c', 'd', '..', ''].map((conversation) => folder.isOwnOutput(realpathSync(file), conversation))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('100 MB of output', () => {
  it.each([
    ['in one line', "head -c 100000000 /dev/zero | tr '\\0' a", 100_000_000],
    ['in lines', "yes 'a line of twenty bytes' | head -c 100000000", 100_000_000],
    ['and more than is kept', 'head -c 150000000 /dev/zero', 100 * 1024 * 1024],
  ])(
    '%s is in the file, and not in memory',
    async (_, command, kept) => {
      const program = new NodeProgram(await bundleProgram('test/support/longOutput.ts', home), [command]);
      const [line = ''] = (await program.finish()).filter((text) => text.startsWith('result '));
      const result: unknown = JSON.parse(line.slice('result '.length));
      expect(result).toMatchObject({
        outcome: 'done',
        kept,
        sizeOfFile: kept === 100_000_000 ? kept : kept + Buffer.byteLength('\n… output beyond 100 MB was not kept\n'),
        isShort: true,
      });
      // What a program of this size varies by itself is some 30 MB.
      expect(result).toHaveProperty('grownMegabytes');
      expect(Number(line.replace(/^.*"grownMegabytes":(\d+).*$/, '$1'))).toBeLessThan(80);
    },
    120_000,
  );
});
