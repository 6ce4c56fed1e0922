import { describe, expect, it } from 'vitest';
import { ExportRegister } from '../../../../../../src/features/history/core/export/exportRegister';
import { SimulatedDisk } from '../../../../../support/simulatedDisk';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('exported files', () => {
  it('are removed with the session they hold; others are named with the reason', () => {
    const disk = new SimulatedDisk();
    const register = new ExportRegister(disk, '/store', () => 5);
    const write = (path: string, ...sessionIds: string[]): void => {
      disk.put(path, bytes(path));
      register.noteExport(path, sessionIds);
    };
    write('/out/alone.md', 's1');
    write('/out/other.md', 's2');
    write('/out/both.html', 's1', 's2');
    write('/out/all.json', 's1', 's2');
    write('/out/edited.md', 's1');
    disk.put('/out/edited.md', bytes('with notes of mine'));
    write('/out/moved.md', 's1');
    disk.rename('/out/moved.md', '/out/elsewhere.md');

    const first = register.forget(['s1']);
    disk.rename('/out/elsewhere.md', '/out/moved.md');
    const second = register.forget(['s1']);
    expect({
      first,
      second,
      there: disk.list('/out'),
      noted: register.exports().map(({ path }) => path),
    }).toEqual({
      first: {
        removed: ['/out/alone.md'],
        changed: ['/out/edited.md'],
        unreachable: ['/out/moved.md'],
        shared: ['/out/both.html', '/out/all.json'],
      },
      second: {
        removed: ['/out/moved.md'],
        changed: ['/out/edited.md'],
        unreachable: [],
        shared: ['/out/both.html', '/out/all.json'],
      },
      there: expect.arrayContaining(['other.md', 'both.html', 'all.json', 'edited.md']),
      noted: ['/out/other.md', '/out/both.html', '/out/all.json', '/out/edited.md'],
    });
  });
});
