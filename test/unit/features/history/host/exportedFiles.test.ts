import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ExportedFiles } from '../../../../../src/features/history/host/exportedFiles';
import { NodeFileSystem } from '../../../../../src/store/engine/nodeFileSystem';
import { RecordingLog } from '../../../host/recordingLog';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'hermes-exported-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('are deleted when their sessions are forgotten, unless they hold others or were changed', () => {
  const exported = new ExportedFiles(new NodeFileSystem(), () => 1_700_000_000, new RecordingLog());
  const [secret, other, changed] = ['secret', 'other', 'changed'].map((name) => join(folder, `${name}.md`)) as [
    string,
    string,
    string,
  ];
  for (const [path, id] of [
    [secret, 's1'],
    [other, 's2'],
    [changed, 's1'],
  ] as const) {
    writeFileSync(path, `Words of ${id}`);
    exported.note(folder, path, [id]);
  }
  writeFileSync(changed, 'Words of s1, with my notes');
  expect({
    left: exported.forget(folder, ['s1']),
    files: [secret, other, changed].map((path) => existsSync(path)),
  }).toEqual({
    left: [`Exported files that were changed since are not deleted: ${changed}.`],
    files: [false, true, true],
  });
});
