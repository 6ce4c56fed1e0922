import { AccessPaths } from './accessPaths';
import { globFilesTool, isFolderNamed } from './globFiles';
import { ReadAccess } from './readAccess';
import { readFileTool } from './readFile';
import { searchFilesTool } from './searchFiles';
import type { DeniesReading } from './secretFiles';
import { type AnyTool, defineTool, done, failed } from './tool';
import type { WorkspaceFiles } from './workspaceFiles';
import { WorkspacePaths } from './workspacePaths';
import * as v from 'valibot';

const maxEntries = 1000;

/** Lists one folder: subfolders first, each with a slash. */
function listDirectoryTool(files: WorkspaceFiles, access: ReadAccess): AnyTool {
  return defineTool({
    name: 'list_directory',
    description:
      'Lists the files and folders directly inside a folder, folders first and marked with "/". Returns at most ' +
      `${maxEntries} entries.`,
    schema: v.object({
      path: v.optional(v.pipe(v.string(), v.description('Relative to the open folder; "." for itself.')), '.'),
    }),
    readOnly: true,
    asks: async (input) => (asksForRoots(files, input.path) ? null : access.asks(input, input.path)),
    run: async (input, signal) => {
      const roots = files.roots();
      if (asksForRoots(files, input.path))
        return done(roots.map((root) => `${root.name}/`).join('\n'), { path: '.', entries: roots.length });
      const { path, shown } = await access.place(input, input.path);
      if ((await files.kindOf(path)) !== 'directory') return failed(`${shown} is a file. Use read_file to read it.`);
      const entries = [...(await files.list(path, signal))].sort(
        (left, right) =>
          Number(right.kind === 'directory') - Number(left.kind === 'directory') || (left.name < right.name ? -1 : 1),
      );
      const rows = entries
        .slice(0, maxEntries)
        .map((entry) => (entry.kind === 'directory' ? `${entry.name}/` : entry.name));
      const more =
        entries.length > maxEntries ? `\n\n(${entries.length - maxEntries} more entries are not listed.)` : '';
      return done(rows.length === 0 ? `${shown} is empty.` : rows.join('\n') + more, {
        path: shown,
        entries: entries.length,
      });
    },
  });
}

/** Several open folders have no common folder that could be listed. */
function asksForRoots(files: WorkspaceFiles, path: string): boolean {
  return files.roots().length > 1 && !isFolderNamed(path);
}

/** Tools that only read. Inside the open folders they need no approval; for other places and for secrets, the
 *  approval policy decides. */
export function readOnlyTools(files: WorkspaceFiles, deniesReading: DeniesReading): readonly AnyTool[] {
  const paths = new WorkspacePaths(files);
  const access = new ReadAccess(files, new AccessPaths(files));
  return [
    readFileTool(files, access),
    listDirectoryTool(files, access),
    globFilesTool(files, paths, access),
    searchFilesTool({ files, deniesReading }, paths, access),
  ];
}
