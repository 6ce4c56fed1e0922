import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { writePlainCopy } from '../../history/backup/plainCopy';
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
    const store = givenStore(terminal, options);
    writePlainCopy(await readingTools(terminal), storeFiles(store), path);
    terminal.print(`Copied to ${path}`);
    return 0;
  },
};
