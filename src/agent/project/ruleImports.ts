import * as nodePath from 'node:path';
import type { AgentFolder } from './agentFolder';

/** Limits of the imports of one rules file: the length of a chain, and the characters and number of all files. */
const most = { depth: 4, characters: 100_000, files: 20 } as const;

const code = /```[^]*?```|`[^`\n]*`/g;
const mention = /(?<=^|\s)@([^\s`'"<>()[\]{}@]+)/g;

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
): Promise<ImportedText> {
  const imported = new Map<string, string>();
  const add = async (from: string, content: string, depth: number): Promise<void> => {
    for (const [, named = ''] of content.replaceAll(code, '').matchAll(mention)) {
      const target = nodePath.posix.join(nodePath.posix.dirname(from), named.replace(/[.,;:!?]+$/, ''));
      if (target === path || known.includes(target) || imported.has(target)) continue;
      const found = await folder.text(target);
      if (found === null) continue;
      const length = [...imported.values()].reduce((sum, each) => sum + each.length, found.length);
      if (depth > most.depth || imported.size >= most.files || length > most.characters) {
        folder.leave(target, 'imports');
        continue;
      }
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
