import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';

export type Files = Readonly<Record<string, string>>;

/** Makes temporary folders with these files, paths and texts, and removes them after each test. */
export function foldersPerTest(): (files: Files) => string {
  const made: string[] = [];
  afterEach(() => {
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return (files) => {
    const folder = mkdtempSync(join(tmpdir(), 'hermes-files-'));
    made.push(folder);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return folder;
  };
}
