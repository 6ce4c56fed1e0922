import { type Command, UsageError, damageText, rescueText } from './command';
import { backup } from './backup';
import { check } from './check';
import { exportCommand } from './export';
import { importCommand } from './import';
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { currentCopy, readOnly } from '../../../store/library/foreignStore';
import { storeFiles } from '../../../store/open/storeFiles';
import { fileCheck } from '../../../store/session/queries/integrity';
import { givenStore, readingTools } from './givenPaths';

/** Copies a store's database to a file that any SQLite opens. */
const copy: Command = {
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
    const tools = await readingTools(terminal);
    const copied = currentCopy(tools, givenStore(terminal, options));
    const unfinished = `${path}.new`;
    let isSound: boolean;
    try {
      isSound = isWhole(tools, copied.folder);
      copyFileSync(storeFiles(copied.folder).main, unfinished);
      renameSync(unfinished, path);
    } finally {
      rmSync(unfinished, { force: true });
      copied.remove();
    }
    terminal.result({ path });
    terminal.print(`Copied to ${path}`);
    if (isSound) return 0;
    terminal.note(`The file that holds these sessions is damaged, and so is the copy. ${rescueText}`);
    return 1;
  },
};

/** True when SQLite finds nothing wrong with the file, and does not give up over it. */
function isWhole(tools: Awaited<ReturnType<typeof readingTools>>, folder: string): boolean {
  try {
    return readOnly(tools, folder, fileCheck).length === 0;
  } catch (error) {
    if (damageText(error) === null) throw error;
    return false;
  }
}

/** The commands, in the order of the help text. */
export const commands: readonly Command[] = [importCommand, exportCommand, check, backup, copy];
