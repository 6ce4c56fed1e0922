import { type FrontMatter, listField, readFrontMatter, textField } from './frontMatter';
import type { FileOrigin } from '../../transcript/contextFiles';
import type { AgentFolder } from './agentFolder';

/** A file with rules for every agent. */
export interface RuleFile {
  /** Path as it is shown. */
  readonly path: string;
  readonly text: string;
  /** Scope of the rules: globs, or words. Null when they apply to everything. */
  readonly appliesTo: string | null;
  readonly origin: FileOrigin;
}

/** Reads the rules of one folder, in order. Leaves out a file with the same text as an earlier one, and a file
 *  that only refers to another one. */
export async function readRules(folder: AgentFolder): Promise<readonly RuleFile[]> {
  const inFolders = await Promise.all(
    folder.layout.ruleFolders.map(async ({ folder: path, endings }) =>
      (await folder.names(path, 'file'))
        .filter((name) => endings.some((ending) => name.endsWith(ending)))
        .map((name) => `${path}/${name}`),
    ),
  );
  const paths = [...folder.layout.rules, ...inFolders.flat()];
  const found = await Promise.all(paths.map(async (path) => ({ path, text: await folder.text(path) })));
  const rules: RuleFile[] = [];
  for (const { path, text } of found) {
    const rule = text === null ? null : ruleOf(folder, path, await readFrontMatter(text));
    if (rule === null || onlyRefers(rule.text, paths) || rules.some((earlier) => earlier.text === rule.text)) continue;
    rules.push(rule);
  }
  return rules;
}

function ruleOf(folder: AgentFolder, path: string, read: FrontMatter): RuleFile | null {
  return read.body === ''
    ? null
    : { path: folder.shown(path), text: read.body, appliesTo: appliesTo(read), origin: folder.origin };
}

/** Sources: `globs` and `alwaysApply` are Cursor's, `applyTo` Copilot's, `trigger` Windsurf's, `paths` Claude's. */
function appliesTo(read: FrontMatter): string | null {
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
