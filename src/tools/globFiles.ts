import * as v from 'valibot';
import type { ReadAccess } from './readAccess';
import { type AnyTool, defineTool, failed, done } from './tool';
import type { WorkspaceFiles } from './workspaceFiles';
import type { WorkspacePaths } from './workspacePaths';

const maxFiles = 200;

/** Finds files by their names. */
export function globFilesTool(files: WorkspaceFiles, paths: WorkspacePaths, access: ReadAccess): AnyTool {
  return defineTool({
    name: 'glob_files',
    description:
      'Finds files by a glob over their paths ("src/**/*.test.ts", "*.md", "**/config.{js,json}"), newest first. ' +
      `Leaves out what the repository ignores. Returns at most ${maxFiles} paths.`,
    schema: v.object({
      pattern: v.pipe(
        v.string(),
        v.trim(),
        v.nonEmpty('is empty'),
        v.description('Glob. Without a slash it matches names in every folder.'),
      ),
      path: v.optional(v.pipe(v.string(), v.description('Folder; everywhere without it.'))),
      order: v.optional(v.pipe(v.picklist(['modified', 'name']), v.description('Default: modified.')), 'modified'),
    }),
    readOnly: true,
    asks: async (input) => (isFolderNamed(input.path) ? access.asks(input, input.path) : null),
    run: async (input, signal) => {
      if (!isFolderNamed(input.path) && files.roots().length === 0) {
        return failed(
          'No folder is open in the editor, so there are no files to find. Ask the person to open a folder.',
        );
      }
      const folder = isFolderNamed(input.path) ? await access.place(input, input.path) : null;
      if (folder !== null && (await files.kindOf(folder.path)) !== 'directory')
        return failed(`${folder.shown} is a file, not a folder.`);
      const found = await files.findFiles(
        { pattern: input.pattern, order: input.order, maxFiles, ...(folder === null ? {} : { folder: folder.path }) },
        signal,
      );
      const shown = found.paths.map((path) => paths.display(path));
      const details = {
        pattern: input.pattern,
        files: shown.length,
        limited: found.limited,
        paths: shown.slice(0, 50),
      };
      if (shown.length === 0)
        return done(
          `No file matches ${JSON.stringify(input.pattern)}${folder === null ? '' : ` in ${folder.shown}`}.`,
          details,
        );
      const note = found.limited ? `\n\n(Only the first ${shown.length} are listed. Narrow the pattern.)` : '';
      return done(shown.join('\n') + note, details);
    },
  });
}

/** Models send "" or "." when they mean everywhere. */
export function isFolderNamed(path: string | undefined): path is string {
  return path !== undefined && !['', '.', './'].includes(path.trim());
}
