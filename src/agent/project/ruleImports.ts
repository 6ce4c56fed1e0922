import * as nodePath from 'node:path';
import type { AgentFolder } from './agentFolder';

/** Limits of the imports of one rules file: the length of a chain, and the bytes and number of all files. `looks` and
 *  `allBytes`: of all rules files of a folder. Each is judged before a file is read: who wrote the rules also chose how
 *  many files they name. */
const most = { depth: 4, bytes: 100_000, files: 20, looks: 500, allBytes: 1_000_000 } as const;

const code = /```[^]*?```|`[^`\n]*`/g;
const mention = /(?<=^|\s)@([^\s`'"<>()[\]{}@]+)/g;

/** What the imports of one folder have used up. */
export interface ImportBudget {
  looks: number;
  bytes: number;
}

export interface ImportedText {
  readonly text: string;
  /** Paths in the folder. */
  readonly imports: readonly string[];
}

/** Adds the files that a rules file names as `@path`, and those that these name. A path is relative to the file that
 *  names it; `@` in code, and before something that is no file, is text. `known`: files that are rules themselves. */
export async function withImports(
  folder: AgentFolder,
  path: string,
  text: string,
  known: readonly string[],
  budget: ImportBudget,
): Promise<ImportedText> {
  const imported = new Map<string, string>();
  const named = new Set([path, ...known]);
  let bytes = 0;
  const add = async (from: string, content: string, depth: number): Promise<void> => {
    for (const [, written = ''] of content.replaceAll(code, '').matchAll(mention)) {
      const target = nodePath.posix.join(nodePath.posix.dirname(from), written.replace(/[.,;:!?]+$/, ''));
      if (named.has(target)) continue;
      named.add(target);
      if (++budget.looks > most.looks) {
        folder.leave(target, 'imports');
        return;
      }
      const size = await folder.size(target);
      if (size === null) continue;
      const isOver = bytes + size > most.bytes || budget.bytes + size > most.allBytes;
      if (depth > most.depth || imported.size >= most.files || isOver) {
        folder.leave(target, 'imports');
        continue;
      }
      const found = await folder.text(target);
      if (found === null) continue;
      bytes += size;
      budget.bytes += size;
      imported.set(
        target,
        found
          .replace(/^\ufeff/, '')
          .replaceAll(/\r\n?/g, '\n')
          .trim(),
      );
      await add(target, found, depth + 1);
    }
  };
  await add(path, text, 1);
  const sections = [...imported].map(([file, content]) => `(Imported from ${folder.shown(file)}:)\n${content}`);
  return { text: [text, ...sections].join('\n\n'), imports: [...imported.keys()] };
}
