import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defaultBackups } from '../../backup/core/folder';
import { Backups } from '../../backup/core/backups';
import type { BackupSummary } from '../../backup/core/manifest';
import { bringBack } from '../../../store/library/bringBack';
import { sizeText, UsageError, type Command, type ExitCode, type OptionValues, type Terminal } from './command';
import { givenPath, givenStore, readingTools } from './givenPaths';
import { openLockedStore } from './lockedStore';

const megabyte = 1024 * 1024;
const defaultLimitMegabytes = 2048;

/** Makes, lists, verifies and restores backups of a store. */
export const backup: Command = {
  name: 'backup',
  summary: 'Makes, lists, verifies and restores backups of your sessions.',
  help: [
    'hermes-history backup make|list|verify|restore --store <folder> [options]',
    '',
    '  make                     makes a backup now, also while a window has the sessions open',
    '  list [<backup>]          lists the backups, or the sessions in one',
    '  verify [<backup>]        reads and opens one backup, or all',
    '  restore <backup>         puts a backup in place of the sessions; they are backed up first',
    '',
    '  --store <folder>         folder with state.db',
    '  --backups <folder>       folder of the backups. Default: backups/ in the folder of the store',
    '  --session <id>           restore: brings only this session back into the present history',
    `  --limit <megabytes>      what all backups may take. Default: ${defaultLimitMegabytes}`,
    '  --yes                    restore: does not ask',
  ],
  options: {
    store: { type: 'string' },
    backups: { type: 'string' },
    session: { type: 'string' },
    limit: { type: 'string' },
    yes: { type: 'boolean' },
  },
  run: async (terminal, options, [action, id, ...rest]) => {
    if (rest.length > 0) throw new UsageError('Too many words.');
    const place = placeOf(terminal, options, action);
    const limitBytes = limitOf(options);
    const backups = new Backups(await readingTools(terminal), place);
    switch (action) {
      case 'make':
        return make(terminal, backups, limitBytes);
      case 'list':
        return id === undefined ? list(terminal, backups) : listSessions(terminal, backups, id);
      case 'verify':
        return verify(terminal, backups, id ?? null);
      case 'restore':
        if (id === undefined) throw new UsageError('Name the backup to restore: see backup list.');
        return restore(terminal, backups, { id, limitBytes, options, store: place.store });
      default:
        throw new UsageError('Choose make, list, verify or restore.');
    }
  },
};

function placeOf(terminal: Terminal, options: OptionValues, action: string | undefined) {
  const { backups } = options;
  const store = givenStore(terminal, options);
  if (typeof backups !== 'string') return { store, backups: defaultBackups(store) };
  // The first backup makes its folder.
  const isNew = action === 'make' && !existsSync(resolve(terminal.folder, backups));
  return { store, backups: isNew ? resolve(terminal.folder, backups) : givenPath(terminal, backups, 'folder') };
}

function limitOf({ limit }: OptionValues): number {
  const megabytes = limit === undefined ? defaultLimitMegabytes : Number(limit);
  if (!Number.isFinite(megabytes) || megabytes <= 0) throw new UsageError('--limit is a number of megabytes.');
  return megabytes * megabyte;
}

function make(terminal: Terminal, backups: Backups, limitBytes: number): ExitCode {
  const { backup: made, isNew, removed } = backups.make({ reason: 'request', limitBytes });
  const { sessions, messages, addedBytes } = made.manifest;
  terminal.result({ id: made.id, isNew, sessions, messages, addedBytes, removed });
  terminal.print(
    isNew
      ? `Made and verified backup ${made.id}: ${sessions} sessions, ${messages} messages, ` +
          `${sizeText(addedBytes)} more on disk.`
      : `Nothing has changed since backup ${made.id}.`,
  );
  if (removed.length > 0) terminal.print(`Removed ${removed.length} older backups.`);
  return 0;
}

function list(terminal: Terminal, backups: Backups): ExitCode {
  const { backups: all, bytes, damaged } = backups.list();
  terminal.result({ backups: all, bytes, damaged });
  for (const line of all) terminal.print(lineOf(line));
  terminal.print(`${all.length} backups, ${sizeText(bytes)} on disk.`);
  for (const name of damaged) terminal.note(`${name} cannot be read.`);
  return damaged.length > 0 ? 1 : 0;
}

function lineOf({ id, madeAt, reason, sessions, messages, bytes }: BackupSummary): string {
  const time = new Date(madeAt * 1000).toISOString().slice(0, 19).replace('T', ' ');
  return `${id}  ${time} UTC  ${reason.padEnd(9)}  ${sessions} sessions  ${messages} messages  ${sizeText(bytes)}`;
}

function listSessions(terminal: Terminal, backups: Backups, id: string): ExitCode {
  terminal.result({ sessions: backups.contents(id) });
  for (const session of backups.contents(id)) {
    const kind = session.isSubAgent ? '  (sub-agent)' : '';
    terminal.print(`${session.id}  ${session.messages} messages  ${session.title ?? ''}${kind}`);
  }
  return 0;
}

function verify(terminal: Terminal, backups: Backups, id: string | null): ExitCode {
  const problems = backups.verify(id);
  terminal.result({ problems });
  for (const problem of problems) terminal.print(problem);
  if (problems.length === 0) terminal.print('No problems were found.');
  return problems.length === 0 ? 0 : 1;
}

interface Restoring {
  readonly id: string;
  readonly store: string;
  readonly limitBytes: number;
  readonly options: OptionValues;
}

async function restore(
  terminal: Terminal,
  backups: Backups,
  { id, store, limitBytes, options }: Restoring,
): Promise<ExitCode> {
  const entries = backups.contents(id);
  const session = options['session'];
  const question =
    typeof session === 'string'
      ? `Bring session ${session} back?`
      : `Put this backup (${entries.length} sessions) in place of your sessions?`;
  if (options['yes'] !== true && !(await terminal.confirm(question))) {
    terminal.note('Nothing was changed.');
    return 1;
  }
  if (typeof session !== 'string') {
    const { before, quarantined } = backups.restore(id, limitBytes);
    terminal.result({ restored: id, before, setAside: quarantined });
    terminal.print(`Restored backup ${id}.`);
    if (before !== null) terminal.print(`What was there before is in backup ${before}.`);
    if (quarantined !== null) terminal.print(`The damaged file that was there before is ${quarantined}.`);
    return 0;
  }
  const locked = await openLockedStore(store, terminal);
  try {
    const brought = await bringBack(locked.store, backups.takeCopy(id, [session]), terminal.signal);
    terminal.result(brought);
    terminal.print(`Brought back ${brought.sessions} sessions with ${brought.messages} messages.`);
    return brought.skipped > 0 ? 1 : 0;
  } finally {
    await locked.close();
  }
}
