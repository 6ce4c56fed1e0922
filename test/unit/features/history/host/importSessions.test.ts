import { beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../../../src/base/clock';
import type { Importer } from '../../../../../src/features/history/host/historyServices';
import { importWorld, importTime, type ImportWorld } from '../../../../support/history/importWorld';
import { fixtures, placesWith } from '../../../../support/history/readHistory';
import { SessionImports } from '../../../../../src/features/history/host/importSessions';
import { servicesOf, type GivenServices } from './services';

vi.mock('vscode', () => import('../../../host/answeringEditor'));

const path = `${fixtures}/hermes/state.db`;

let world: ImportWorld;
beforeEach(async () => {
  world = await importWorld();
});

function importsOf(change: Partial<Importer> = {}, given: GivenServices = {}) {
  const seen: string[] = [];
  const { importer } = world;
  const services = servicesOf({
    openImporter: () => (
      seen.push('opened'),
      {
        scan: (...args) => importer.scan(...args),
        preview: (...args) => importer.preview(...args),
        run: (...args) => importer.run(...args),
        openFile: () => Promise.reject(new Error('Not an export.')),
        close: async () => void seen.push('closed'),
        ...change,
      }
    ),
    clock: { ...systemClock, now: () => importTime },
    places: () => placesWith({}),
    ready: async () => void seen.push('ready'),
    store: {
      getSession: async (id) => world.db.getSession(id),
      copyToThisFolder: () => Promise.reject(new Error('Not an export.')),
    },
    during: (work) => work,
    openInChat: async (id) => void seen.push(`opened ${id}`),
    failed: () => (error) => void seen.push(String(error)),
    refresh: () => void seen.push('imported'),
    ...given,
  });
  const rescue = { isOn: true, status: async () => '', keepImporting: async () => undefined };
  return { imports: new SessionImports(services, rescue), seen };
}

/** Ids in their programs of the sessions that are here. */
const originsHere = (): readonly (string | undefined)[] =>
  world.db.listSessions({ limit: 99, includeEmpty: true }).map(({ origin }) => origin?.id);

describe('the import of one session', () => {
  it('imports that session of the file alone, and returns its id here', async () => {
    const { imports, seen } = importsOf();
    const id = await imports.importOne(path, 'first');
    expect([world.db.getSession(id)?.origin?.id, originsHere(), seen]).toEqual([
      'first',
      ['first'],
      ['ready', 'opened', 'imported', 'closed'],
    ]);
  });

  it('returns the session that is here when it is imported again', async () => {
    const { imports } = importsOf();
    const ids = [await imports.importOne(path, 'first'), await imports.importOne(path, 'first')];
    expect([new Set(ids).size, originsHere()]).toEqual([1, ['first']]);
  });

  it('brings a session back that was erased here: the user chose it', async () => {
    const { imports } = importsOf();
    const id = await imports.importOne(path, 'first');
    world.db.forgetSession(id);
    expect([originsHere(), await imports.importOne(path, 'first'), originsHere()]).toEqual([[], id, ['first']]);
  });

  it('says so when the file does not hold the session, and ends its thread', async () => {
    const { imports, seen } = importsOf();
    await expect(imports.importOne(path, 'nobody')).rejects.toThrow('Nothing was imported.');
    expect([originsHere(), seen]).toEqual([[], ['ready', 'opened', 'closed']]);
  });

  it('reads nothing while the history here cannot be written', async () => {
    const { imports, seen } = importsOf({}, { ready: () => Promise.reject(new Error('Another window has it.')) });
    await expect(imports.importOne(path, 'first')).rejects.toThrow('Another window has it.');
    expect(seen).toEqual([]);
  });
});
