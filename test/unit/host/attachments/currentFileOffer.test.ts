import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Emitter } from '../../../../src/base/disposable';
import { CurrentFileOffer } from '../../../../src/host/attachments/currentFileOffer';
import type { Selection } from '../../../../src/host/attachments/mentionDeps';
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

/** Shows a file in the editor, which is quiet then. */
async function show(file: string | null, lines: readonly [number, number] | null = null): Promise<void> {
  editor.file = file;
  editor.current =
    file === null || lines === null
      ? null
      : { path: file, isFile: true, startLine: lines[0], endLine: lines[1], text: 'x' };
  moved.fire(undefined);
  await clock.advance(200);
}

const current = (): string | null =>
  offer.current === null ? null : `${offer.current.kind} ${offer.current.source} ${offer.current.label}`;

/** Passes once this is offered: the check for secrets reads the disk. */
const isOffered = (expected: string | null): Promise<void> => vi.waitFor(() => expect(current()).toBe(expected));

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
    await show(inside('docs/README.md'));
    await isOffered('file file:docs/README.md docs/README.md');
    await show(inside('docs/README.md'), [10, 20]);
    await isOffered('selection selection docs/README.md:10-20');
    await show(inside('a.ts'), [3, 3]);
    await isOffered('selection selection a.ts:3');
    await show(null);
    await isOffered(null);
  });

  it.each(['w/.env', 'w/plain.txt', 'outside.ts'])(
    'is never one that may hold secrets, also by a link, or one outside the open folders: %s',
    async (name) => {
      for (const lines of [null, [1, 1] as const]) {
        await show(inside('a.ts'));
        await isOffered('file file:a.ts a.ts');
        await show(path.join(home, name), lines);
        await isOffered(null);
      }
    },
  );

  it('changes once the editor is quiet, and is reported only when it changes', async () => {
    const heard: (string | null)[] = [];
    offer.onDidChange(() => heard.push(offer.current?.label ?? null));
    await show(inside('a.ts'));
    await isOffered('file file:a.ts a.ts');
    await show(inside('a.ts'));
    editor.file = inside('docs/README.md');
    moved.fire(undefined);
    await clock.advance(100);
    moved.fire(undefined);
    await clock.advance(150);
    const early = [...heard];
    await show(inside('docs/README.md'));
    await isOffered('file file:docs/README.md docs/README.md');
    expect([early, heard]).toEqual([['a.ts'], ['a.ts', 'docs/README.md']]);
  });
});
