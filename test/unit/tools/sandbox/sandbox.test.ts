import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../../src/base/log';
import { remedyFor, Sandbox } from '../../../../src/tools/sandbox/sandbox';

describe('a machine without a sandbox', () => {
  it('is reported with the reason and the next steps', async () => {
    const none = new Sandbox({
      file: '/none',
      temporary: '/tmp',
      environment: {},
      platform: 'win32',
      log: silentLog,
      tools: () => Promise.reject(new Error('not asked')),
    });
    expect(await none.state()).toEqual({
      kind: 'missing',
      reason: 'there is none for this system',
      remedy: 'Work in WSL or a dev container with bubblewrap.',
    });
    await expect(
      none.confine(
        'true',
        '/bin/sh',
        { writable: [], kept: [], hidden: [], shown: [] },
        [],
        { folders: [], above: [], home: '/h', aside: '/a' },
        () => undefined,
      ),
    ).rejects.toThrow('there is none for this system');
    expect(
      [
        'bubblewrap (bwrap) not installed; socat not installed',
        'bwrap: No permissions to create new namespace',
        'other',
      ].map((reason) => remedyFor(reason, 'linux').split(/[ (]/)[0]),
    ).toEqual(['Install', 'This', 'See']);
  });
});
