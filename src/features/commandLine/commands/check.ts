import { groupedBy } from '../../../base/groupedBy';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { checkInThread } from '../../history/core/check/checkClient';
import type { CheckThread } from '../../history/core/check/checkWorker';
import type { CheckResult } from '../../history/core/check/findings';
import { repairPlans } from '../../history/core/check/repairPlan';
import { usualPlaces } from '../../history/core/sources/historyPlaces';
import { findingMeaning, findingPlace, findingTitle } from '../../../transcript/rules/finding';
import { UsageError, type Command, type ExitCode, type OptionValues, type Terminal } from './command';
import { givenPath, givenStore, readingTools } from './givenPaths';
import { openLockedStore } from './lockedStore';

/** A repair may uncover what it hid. */
const mostRounds = 3;

/** Checks the transcripts of a store. */
export const check: Command = {
  name: 'check',
  summary: 'Checks transcripts for damage, and repairs those of a store.',
  help: [
    'hermes-history check [--store <folder> | --hermes [<path>]] [--repair [--yes]] [--undo <repair> --session ' +
      '<id>]',
    '',
    'Reads every session and says what is broken, with its place. Only reads, unless --repair is given.',
    '',
    '  --store <folder>   A store of Hermes for VS Code: the folder that holds state.db.',
    '  --hermes [<path>]  A state.db of Hermes Agent, which is never changed. Default: the usual place.',
    '  --repair           Says what a repair of the store would change.',
    '  --yes              Repairs it.',
    '  --undo <repair>    Undoes a repair, by the name that the repair printed. Needs --session.',
    '  --session <id>     The session of the repair to undo.',
  ],
  options: {
    store: { type: 'string' },
    hermes: { type: 'string' },
    repair: { type: 'boolean' },
    yes: { type: 'boolean' },
    undo: { type: 'string' },
    session: { type: 'string' },
  },
  mayBeEmpty: ['--hermes'],
  run: async (terminal, options, words) => {
    if (words.length > 0) throw new UsageError(`"${words[0]}" is not an option of check.`);
    return checkPlace(terminal, options, placeOf(terminal, options));
  },
};

type Place = CheckThread['place'];

function placeOf(terminal: Terminal, { store, hermes, repair, yes, undo, session }: OptionValues): Place {
  if ((store === undefined) === (hermes === undefined)) throw new UsageError('Name one place: --store or --hermes.');
  if (yes === true && repair !== true) throw new UsageError('--yes needs --repair.');
  if ((undo === undefined) !== (session === undefined)) throw new UsageError('--undo and --session need each other.');
  if (store !== undefined) return { kind: 'own', path: givenStore(terminal, { store }) };
  if (repair === true || undo !== undefined)
    throw new UsageError(
      'Databases of Hermes Agent are never changed. Import their sessions: see hermes-history import.',
    );
  const path = typeof hermes === 'string' && hermes !== '' ? hermes : join(usualPlaces(terminal).hermes, 'state.db');
  return { kind: 'file', path: givenPath(terminal, path, 'file') };
}

async function checkPlace(terminal: Terminal, options: OptionValues, place: Place): Promise<ExitCode> {
  const { undo, session } = options;
  if (typeof undo === 'string' && typeof session === 'string')
    return withStore(terminal, place, async (store) => {
      await store.undoRepair(session, undo);
      terminal.print('The repair was undone.');
      return 0;
    });
  const { copies } = await readingTools(terminal);
  const entry = join(terminal.programFolder, 'checkWorker.js');
  // In a thread: nothing that a file makes the check do keeps the command from being stopped.
  const look = (): Promise<CheckResult> => checkInThread(entry, { place, copies }, { signal: terminal.signal });
  const result = await look();
  print(terminal, result);
  if (result.total === 0) return 0;
  if (options['repair'] !== true) return 1;
  const isWanted = options['yes'] === true;
  const isDamaged = result.findings.some(({ id }) => id === 'damagedFile');
  if (isDamaged && !isWanted) {
    terminal.note(
      'Would move everything readable into a new file, and keep the damaged one. Nothing else can be said before.',
    );
    return 1;
  }
  return withStore(
    terminal,
    place,
    async (store) => repair(terminal, store, isDamaged ? await look() : result, isWanted, look),
    isDamaged,
  );
}

type Store = Awaited<ReturnType<typeof openLockedStore>>['store'];

async function withStore(
  terminal: Terminal,
  { path }: Place,
  work: (store: Store) => Promise<ExitCode>,
  salvages = false,
): Promise<ExitCode> {
  const locked = await openLockedStore(path, terminal, salvages);
  for (const { path: kept, sessions, messages } of locked.report.salvaged)
    terminal.note(`Moved ${sessions} sessions with ${messages} messages into a new file. The damaged one is ${kept}.`);
  try {
    return await work(locked.store);
  } finally {
    await locked.close();
  }
}

async function repair(
  terminal: Terminal,
  store: Store,
  first: CheckResult,
  isWanted: boolean,
  look: () => Promise<CheckResult>,
): Promise<ExitCode> {
  let result = first;
  for (let round = 0; round < mostRounds && result.total > 0; round++) {
    for (const { sessionId, title, steps } of repairPlans(result.findings)) {
      terminal.signal.throwIfAborted();
      const input = { repairId: randomUUID(), sessionId, steps, at: terminal.clock.now() };
      const rows = await (isWanted ? store.repairSession(input) : store.previewRepair(input));
      terminal.note(`${isWanted ? 'Repaired' : 'Would repair'} ${title ?? sessionId}: ${rows.length} rows.`);
      for (const { table, id, before, after } of rows) {
        terminal.note(`  ${table} ${id}`);
        if (before !== null) terminal.note(`    - ${oneLine(before.text)}`);
        terminal.note(`    + ${after.isHidden ? '(hidden)' : oneLine(after.text)}`);
      }
      if (isWanted) terminal.note(`  To undo: --undo ${input.repairId} --session ${sessionId}`);
    }
    if (!isWanted) return 1;
    result = await look();
  }
  terminal.note(result.total === 0 ? 'Everything is repaired.' : `Left as they are: ${result.total}.`);
  return result.total === 0 ? 0 : 1;
}

function print(terminal: Terminal, result: CheckResult): void {
  terminal.result({ ...result, findings: result.findings.map((one) => ({ ...one, text: findingTitle(one.id) })) });
  const byKind = groupedBy(result.findings, ({ id }) => id);
  for (const [id, found] of byKind) {
    terminal.print(`${findingTitle(id)}: ${found.length}. ${findingMeaning(id)}`);
    for (const one of found) terminal.print(`  ${oneLine(findingPlace(one))}`);
  }
  if (result.total > result.findings.length) terminal.print(`… and ${result.total - result.findings.length} more.`);
  terminal.print(`${result.sessions} sessions, ${result.messages} messages, ${result.total} findings.`);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 200);
}
