import * as v from 'valibot';
import { isFolderNamed } from './globFiles';
import type { ReadAccess } from './readAccess';
import { type AnyTool, defineTool } from './tool';
import type { WorkspaceFiles } from './workspaceFiles';

const maxEntries = 1000;

/** Lists one folder: subfolders first, each with a slash. */
export function listDirectoryTool(files: WorkspaceFiles, access: ReadAccess): AnyTool {
  return defineTool({
    name: 'list_directory',
    description:
      'Lists the files and folders directly inside a folder, folders first and marked with "/". Returns at most ' +
      `${maxEntries} entries.`,
    parameters: {
      type: 'object',
      properties: {
        path: {
          type: 'string',
          description: 'Relative to the open folder; "." for itself.',
        },
      },
    },
    schema: v.object({ path: v.optional(v.string(), '.') }),
    readOnly: true,
    asks: async (input) => (asksForRoots(files, input.path) ? null : access.asks(input, input.path)),
    run: async (input, signal) => {
      const roots = files.roots();
      if (asksForRoots(files, input.path))
        return {
          outcome: 'done',
          text: roots.map((root) => `${root.name}/`).join('\n'),
          details: { path: '.', entries: roots.length },
        };
      const { path, shown } = await access.place(input, input.path);
      if ((await files.kindOf(path)) !== 'directory')
        return { outcome: 'failed', text: `${shown} is a file. Use read_file to read it.` };
      const entries = [...(await files.list(path, signal))].sort(
        (left, right) =>
          Number(right.kind === 'directory') - Number(left.kind === 'directory') || (left.name < right.name ? -1 : 1),
      );
      const rows = entries
        .slice(0, maxEntries)
        .map((entry) => (entry.kind === 'directory' ? `${entry.name}/` : entry.name));
      const more =
        entries.length > maxEntries ? `\n\n(${entries.length - maxEntries} more entries are not listed.)` : '';
      return {
        outcome: 'done',
        text: rows.length === 0 ? `${shown} is empty.` : rows.join('\n') + more,
        details: { path: shown, entries: entries.length },
      };
    },
  });
}

/** Several open folders have no common folder that could be listed. */
function asksForRoots(files: WorkspaceFiles, path: string): boolean {
  return files.roots().length > 1 && !isFolderNamed(path);
}
