import * as vscode from 'vscode';
import { isJsonObject } from '../../transcript/json';

/** An extension that offers tools to agents. */
export interface ToolExtension {
  readonly id: string;
  readonly label: string;
  /** Names of its tools in `vscode.lm`. */
  readonly tools: ReadonlySet<string>;
}

/** Installed extensions that offer tools, sorted by name. Without those that come with the editor, and Copilot: their
 *  tools, like the editor's own, which no extension declares, serve the editor's chat. */
export function toolExtensions(): readonly ToolExtension[] {
  return vscode.extensions.all
    .flatMap(({ id, packageJSON }): readonly ToolExtension[] => {
      const about: unknown = packageJSON;
      if (!isJsonObject(about) || about['isBuiltin'] === true || /^(?:vscode|github\.copilot)/i.test(id)) return [];
      const offered = isJsonObject(about['contributes']) ? about['contributes']['languageModelTools'] : null;
      const tools = new Set(
        (Array.isArray(offered) ? offered : []).flatMap((tool: unknown) =>
          isJsonObject(tool) && typeof tool['name'] === 'string' ? [tool['name']] : [],
        ),
      );
      const label = typeof about['displayName'] === 'string' ? about['displayName'] : id;
      return tools.size === 0 ? [] : [{ id, label, tools }];
    })
    .sort((a, b) => a.label.localeCompare(b.label));
}

/** Name under which models know the tool, in characters that every provider accepts. */
export function plainToolName(name: string): string {
  return `ext_${name.replace(/[^A-Za-z0-9_-]+/g, '_')}`.slice(0, 64);
}

/** Texts of a prompt-tsx tree, in order. The library defines its shape; texts are in `text`. */
export function textsIn(tree: unknown): readonly string[] {
  if (Array.isArray(tree)) return tree.flatMap(textsIn);
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) =>
    key === 'text' && typeof value === 'string' ? [value] : key === 'props' ? [] : textsIn(value),
  );
}
