import { posix } from 'node:path';
import { type FrontMatter, listField, readFrontMatter, textField } from './frontMatter';
import type { FileOrigin } from '../../transcript/contextFiles';
import type { AgentFolder } from './agentFolder';
import { type ImportBudget, withImports } from './ruleImports';

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
