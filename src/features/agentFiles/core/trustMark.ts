import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { HookDefinition } from './hookFiles';

const largestFile = 1_000_000;

/** Hash of what the user trusts: the definition, and the files that its command names, but for those that it writes to
 *  (`>> hook.log`). Otherwise an agent that may edit such a script would choose what runs. */
export async function trustMark(hook: HookDefinition, project: string): Promise<string> {
  const hash = createHash('sha256').update(hook.fingerprint);
  const line = hook.command.replaceAll(/\$\{?CLAUDE_PROJECT_DIR\}?/g, project);
  // Quotes may stand around a whole path, or around a part of it.
  const quoted = line.split(/["'`]/).filter((_part, index, all) => !/(?:^|[\s\d&>])>\s*$/.test(all[index - 1] ?? ''));
  const plain = line
    .replaceAll(/["']/g, '')
    .replaceAll('`', ' ; ')
    .replaceAll(/(?<=^|[\s\d&>])>\|?\s*[^\s;|&()<>]+/g, ' ');
  const words = [...plain.split(/[\s;|&()<>=]+/), ...quoted];
  for (const word of new Set(words.filter((each) => each !== ''))) {
    for (const folder of new Set([project, resolve(project, hook.cwd ?? '.')])) {
      const content = await contentOf(resolve(folder, word));
      if (content !== null) hash.update(`\0${word}\0`).update(content);
    }
  }
  return hash.digest('hex');
}

async function contentOf(path: string): Promise<Uint8Array | null> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size <= largestFile ? await readFile(path) : null;
  } catch {
    return null;
  }
}
