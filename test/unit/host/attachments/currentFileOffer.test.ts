import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Emitter } from '../../../../src/base/disposable';
import { CurrentFileOffer } from '../../../../src/host/attachments/currentFileOffer';
import type { Selection } from '../../../../src/host/attachments/mentionPlaces';
import { FolderOnDisk } from '../../../support/folderOnDisk';
import { ManualClock } from '../../../support/manualClock';

let home: string;
const clock = new ManualClock(0);
const moved = new Emitter<undefined>();
const editor: { file: string | null; current: Selection | null; onDidChange: typeof moved.event } = {
  file: null,
  current: null,
  onDidChange: moved.event,
};
let offer: CurrentFileOffer;

const inside = (name: string): string => path.join(home, 'w', name);

/** Shows a file in the editor and returns what is offered after the editor has been quiet. */
async function offered(file: string | null, lines: readonly [number, number] | null = null): Promise<string | null> {
  editor.file = file;
  editor.current =
    file === null || lines === null
      ? null
      : { path: file, isFile: true, startLine: lines[0], endLine: lines[1], text: 'x' };
  moved.fire(undefined);
  await clock.advance(200);
  // The check for secrets reads the disk.
  await new Promise((resolve) => setTimeout(resolve, 20));
  const { current } = offer;
  return current === null ? null : `${current.kind} ${current.source} ${current.label}`;
}

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'hermes-offer-'));
  mkdirSync(inside('docs'), { recursive: true });
  for (const name of ['docs/README.md', 'a.ts', '.env']) writeFileSync(inside(name), 'x\n');
  symlinkSync(inside('.env'), inside('plain.txt'));
  writeFileSync(path.join(home, 'outside.ts'), 'x\n');
  offer = new CurrentFileOffer({ editor, files: new FolderOnDisk([{ name: 'w', path: inside('') }]), clock });
});
afterEach(() => {
  offer.dispose();
  rmSync(home, { recursive: true, force: true });
});

describe('the file that is offered as an attachment', () => {
  it('is the one in the editor, or the selection in it', async () => {
    expect([
      await offered(inside('docs/README.md')),
      await offered(inside('docs/README.md'), [10, 20]),
      await offered(inside('a.ts'), [3, 3]),
      await offered(null),
    ]).toEqual([
      'file file:docs/README.md docs/README.md',
      'selection selection docs/README.md:10-20',
      'selection selection a.ts:3',
      null,
    ]);
  });

  it('is never one that may hold secrets, also by a link, or one outside the open folders', async () => {
    expect([
      await offered(inside('.env')),
      await offered(inside('.env'), [1, 1]),
      await offered(inside('plain.txt')),
      await offered(path.join(home, 'outside.ts')),
      await offered(inside('a.ts')),
    ]).toEqual([null, null, null, null, 'file file:a.ts a.ts']);
  });

  it('changes once the editor is quiet, and is reported only when it changes', async () => {
    const heard: (string | null)[] = [];
    offer.onDidChange(() => heard.push(offer.current?.label ?? null));
    await offered(inside('a.ts'));
    await offered(inside('a.ts'));
    editor.file = inside('docs/README.md');
    moved.fire(undefined);
    await clock.advance(100);
    moved.fire(undefined);
    await clock.advance(150);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const early = [...heard];
    await offered(inside('docs/README.md'));
    expect([early, heard]).toEqual([['a.ts'], ['a.ts', 'docs/README.md']]);
  });
});
