import { expect, it } from 'vitest';
import { OpenChanges } from '../../../../../src/features/review/host/openChanges';
import type { ChangedFile } from '../../../../../src/transcript/changedFile';

const file = (name: string, state: ChangedFile['state'] = 'open'): ChangedFile => ({
  path: `/w/${name}`,
  shown: name,
  kind: 'edited',
  added: 1,
  removed: 1,
  state,
});

it('files are open until they are kept or reverted in every turn that changed them, or their session is erased', () => {
  const open = new OpenChanges();
  const fired: (readonly string[])[] = [];
  open.onDidChange((paths) => fired.push(paths));
  const seen = (): readonly string[] => open.files().map(({ shown }) => shown);
  open.update('t1', 's1', [file('b.ts'), file('a.ts', 'changedSince'), file('done.ts', 'kept')]);
  open.update('t2', 's2', [file('a.ts', 'partly')]);
  const first = seen();
  open.update('t1', 's1', [file('b.ts', 'reverted'), file('a.ts', 'kept')]);
  const second = seen();
  open.forget('s2');
  open.update('t3', 's1', [file('done.ts', 'kept')]);
  expect({ first, second, last: seen(), fired }).toEqual({
    first: ['b.ts', 'a.ts'],
    second: ['a.ts'],
    last: [],
    fired: [['/w/b.ts', '/w/a.ts'], ['/w/a.ts'], ['/w/b.ts', '/w/a.ts'], ['/w/a.ts']],
  });
  open.dispose();
});
