import * as v from 'valibot';
import type { ReadAccess } from './readAccess';
import { type AnyTool, defineTool } from './tool';
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
    parameters: {
      type: 'object',
      properties: {
        pattern: { type: 'string', description: 'Glob. Without a slash it matches names in every folder.' },
        path: { type: 'string', description: 'Folder; everywhere without it.' },
        order: {
          type: 'string',
          enum: ['modified', 'name'],
          description: 'Default: modified.',
        },
      },
      required: ['pattern'],
    },
    schema: v.object({
      pattern: v.pipe(v.string(), v.trim(), v.nonEmpty('is empty')),
      path: v.optional(v.string()),
      order: v.optional(v.picklist(['modified', 'name']), 'modified'),
    }),
    readOnly: true,
    asks: async (input) => (isFolderNamed(input.path) ? access.asks(input, input.path) : null),
    run: async (input, signal) => {
      if (!isFolderNamed(input.path) && files.roots().length === 0) {
        return {
          outcome: 'failed',
          text: 'No folder is open in the editor, so there are no files to find. Ask the person to open a folder.',
        };
      }
      const folder = isFolderNamed(input.path) ? await access.place(input, input.path) : null;
      if (folder !== null && (await files.kindOf(folder.path)) !== 'directory')
        return { outcome: 'failed', text: `${folder.shown} is a file, not a folder.` };
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
        return {
          outcome: 'done',
          text: `No file matches ${JSON.stringify(input.pattern)}${folder === null ? '' : ` in ${folder.shown}`}.`,
          details,
        };
      const note = found.limited ? `\n\n(Only the first ${shown.length} are listed. Narrow the pattern.)` : '';
      return { outcome: 'done', text: shown.join('\n') + note, details };
    },
  });
}

/** Models send "" or "." when they mean everywhere. */
export function isFolderNamed(path: string | undefined): path is string {
  return path !== undefined && !['', '.', './'].includes(path.trim());
}
