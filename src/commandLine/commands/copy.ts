import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { privateFolder } from '../../base/privateFolder';
import { nodeBackupDeps } from '../../history/backup/nodeBackups';
import { writePlainCopy } from '../../history/backup/plainCopy';
import { storeFiles } from '../../store/open/storeFiles';
import { UsageError, type Command } from '../command';

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
  run: async (terminal, { store }, [file, ...rest]) => {
    if (typeof store !== 'string') throw new UsageError('Name the folder with --store.');
    if (file === undefined || rest.length > 0) throw new UsageError('Name the file to write.');
    const path = resolve(terminal.folder, file);
    if (existsSync(path)) throw new Error(`There is already ${path}. Name a new file.`);
    const copies = join(privateFolder(), `history-${process.pid}`);
    const deps = await nodeBackupDeps(join(terminal.programFolder, 'sql-wasm.wasm'), copies);
    writePlainCopy(deps, storeFiles(resolve(terminal.folder, store)), path);
    terminal.print(`Copied to ${path}`);
    return 0;
  },
};
