import { expect, it } from 'vitest';
import { ForgottenElsewhere } from '../../../../../src/features/sync/host/syncFeature';
import { RecordingLog } from '../../../host/recordingLog';

function world(left: readonly string[], fails: { on: 'memory' | 'copies' | null }) {
  const noted = new Map([
    ['s1', ['s1', 's1.2']],
    ['s2', ['s2']],
  ]);
  const seen: string[] = [];
  const log = new RecordingLog();
  const reach =
    (what: 'memory' | 'copies', sentences: readonly string[]) =>
    async (ids: readonly string[]): Promise<readonly string[]> => {
      if (fails.on === what) throw new Error('Killed.');
      seen.push(`${what}: ${ids.join(' ')}`);
      return sentences;
    };
  const [memory, copies] = [reach('memory', left), reach('copies', [])];
  const forgotten = new ForgottenElsewhere(
    {
      copies: () => [...noted].map(([conversationId, sessionIds]) => ({ conversationId, sessionIds })),
      copiesForgotten: (id) => void noted.delete(id),
    },
    async (ids) => [...(await memory(ids)), ...(await copies(ids))],
    (sentence) => void seen.push(sentence),
    log,
  );
  return { forgotten, noted, seen, log };
}

it('what was forgotten on another machine is erased from memory, backups and exports, once', async () => {
  const { forgotten, noted, seen } = world([], { on: null });
  await Promise.all([forgotten.finish(), forgotten.finish()]);
  expect([seen, [...noted]]).toEqual([['memory: s1 s1.2 s2', 'copies: s1 s1.2 s2'], []]);
});

it('what could not be reached is said', async () => {
  const { forgotten, seen } = world(['Hindsight couldn’t delete its copy.'], { on: null });
  await forgotten.finish();
  expect(seen.at(-1)).toBe(
    'A session was forgotten on another machine. Copies of it may be left here. Hindsight couldn’t delete its copy.',
  );
});

it('what was interrupted is finished by the next start', async () => {
  const fails: { on: 'copies' | null } = { on: 'copies' };
  const { forgotten, noted, seen, log } = world([], fails);
  await forgotten.finish();
  expect([noted.size, log.lines.length]).toEqual([2, 1]);
  fails.on = null;
  await forgotten.finish();
  expect([noted.size, seen.at(-1)]).toEqual([0, 'copies: s1 s1.2 s2']);
});
