import * as nodePath from 'node:path';
import { posix } from 'node:path';
import { type FrontMatter, listField, readFrontMatter, textField } from './frontMatter';
import type { FileOrigin } from '../../transcript/contextFiles';
import type { AgentFolder } from './agentFolder';

/** Limits of the imports of one rules file: the length of a chain, and the bytes and number of all files. `looks` and
 *  `allBytes`: of all rules files of a folder. Each is judged before a file is read: who wrote the rules also chose how
 *  many files they name. */
const most = { depth: 4, bytes: 100_000, files: 20, looks: 500, allBytes: 1_000_000 } as const;

const code = /```[^]*?```|`[^`\n]*`/g;
const mention = /(?<=^|\s)@([^\s`'"<>()[\]{}@]+)/g;

/** What the imports of one folder have used up. */
interface ImportBudget {
  looks: number;
  bytes: number;
}

interface ImportedText {
  readonly text: string;
  /** Paths in the folder. */
  readonly imports: readonly string[];
}

/** Adds the files that a rules file names as `@path`, and those that these name. A path is relative to the file that
 *  names it; `@` in code, and before something that is no file, is text. `known`: files that are rules themselves. */
async function withImports(
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
/** A file with rules for every agent. */
export interface RuleFile {
  /** Path as it is shown. */
  readonly path: string;
  readonly text: string;
  /** Scope of the rules: globs, or words. Null when they apply to everything. */
  readonly appliesTo: string | null;
  readonly origin: FileOrigin;
  /** Files that it imports, as they are shown; their text is part of `text`. Absent: none. */
  readonly imports?: readonly string[];
}

/** Reads the rules of one folder, in order. Leaves out a file with the same text as an earlier one, and a file
 *  that only refers to another one. */
export async function readRules(folder: AgentFolder): Promise<readonly RuleFile[]> {
  const { layout } = folder;
  const [inFolders, nested] = await Promise.all([
    Promise.all(
      layout.ruleFolders.map(async ({ folder: path, endings }) =>
        (await folder.names(path, 'file'))
          .filter((name) => endings.some((ending) => name.endsWith(ending)))
          .map((name) => `${path}/${name}`),
      ),
    ),
    Promise.all(layout.nestedRules.map((name) => folder.below(name))),
  ]);
  const paths = [...layout.rules, ...inFolders.flat(), ...nested.flat().toSorted()];
  const found = await Promise.all(paths.map(async (path) => ({ path, text: await folder.text(path) })));
  const rules: RuleFile[] = [];
  const budget: ImportBudget = { looks: 0, bytes: 0 };
  const written: { readonly body: string; readonly appliesTo: string | null }[] = [];
  for (const { path, text } of found) {
    if (text === null) continue;
    const read = await readFrontMatter(text);
    const scope = scopeOf(read) ?? (nested.flat().includes(path) ? `${posix.dirname(path)}/**` : null);
    const isDouble =
      onlyRefers(read.body, paths) ||
      written.some(({ body, appliesTo }) => body === read.body && (appliesTo === null || appliesTo === scope));
    if (read.body === '' || isDouble) {
      folder.leave(path, isDouble ? 'double' : 'empty');
      continue;
    }
    written.push({ body: read.body, appliesTo: scope });
    const imported = await withImports(folder, path, read.body, paths, budget);
    rules.push({
      path: folder.shown(path),
      text: imported.text,
      appliesTo: scope,
      origin: folder.origin,
      ...(imported.imports.length === 0 ? {} : { imports: imported.imports.map((each) => folder.shown(each)) }),
    });
  }
  return rules;
}

/** Sources: `globs` and `alwaysApply` are Cursor's, `applyTo` Copilot's, `trigger` Windsurf's, `paths` Claude's. */
function scopeOf(read: FrontMatter): string | null {
  const { alwaysApply, trigger } = read.fields;
  if (alwaysApply === true || trigger === 'always_on') return null;
  const globs = listField(read, 'globs', 'applyTo', 'paths');
  if (globs.length > 0) return globs.some((glob) => glob === '**' || glob === '**/*') ? null : globs.join(', ');
  if (alwaysApply === false || trigger === 'model_decision' || trigger === 'manual')
    return textField(read, 'description') ?? 'where it fits';
  return null;
}

/** True for a file that only contains references like `@AGENTS.md`, for example a CLAUDE.md that points to it. A link
 *  that Windows checked out as text holds its target alone. */
function onlyRefers(text: string, known: readonly string[]): boolean {
  const target = text.trim().replace(/^(?:\.{1,2}\/)+/, '');
  if (known.includes(target)) return true;
  return text
    .split('\n')
    .every(
      (line) =>
        line.trim() === '' || (line.startsWith('@') && known.includes(line.slice(1).trim().replace(/^\.\//, ''))),
    );
}
