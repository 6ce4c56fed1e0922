import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { currentCopy } from '../../store/library/foreignStore';
import { storeFiles } from '../../store/open/storeFiles';
import { UsageError, type Command } from '../command';
import { givenStore, readingTools } from '../givenPaths';

/** Copies a store's database to a file that any SQLite opens. */
export const copy: Command = {
  name: 'copy',
  summary: 'Copies the database of your sessions to a file that any SQLite opens.',
  help: [
    'hermes-history copy --store <folder> <file>',
    '',
    '  --store <folder>  folder with state.db, which a window may have open',
  ],
  options: { store: { type: 'string' } },
  run: async (terminal, options, [file, ...rest]) => {
    if (file === undefined || rest.length > 0) throw new UsageError('Name the file to write.');
    const path = resolve(terminal.folder, file);
    if (existsSync(path)) throw new Error(`There is already ${path}. Name a new file.`);
    const copied = currentCopy(await readingTools(terminal), givenStore(terminal, options));
    const unfinished = `${path}.new`;
    try {
      copyFileSync(storeFiles(copied.folder).main, unfinished);
      renameSync(unfinished, path);
    } finally {
      rmSync(unfinished, { force: true });
      copied.remove();
    }
    terminal.result({ path });
    terminal.print(`Copied to ${path}`);
    return 0;
  },
};
