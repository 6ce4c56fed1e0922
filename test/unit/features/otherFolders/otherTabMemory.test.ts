import { describe, expect, it } from 'vitest';
import { OtherTabMemory, type WorkspaceMemory } from '../../../../src/features/otherFolders/host/otherTranscripts';

function workspaceMemory(held: Map<string, unknown> = new Map()): WorkspaceMemory {
  return { get: (key) => held.get(key), update: async (key, value) => void held.set(key, value) };
}

describe('the memory of tabs for other folders', () => {
  it('restores after a reload which folder a session is read from, and forgets closed tabs', async () => {
    const held = new Map<string, unknown>();
    const before = new OtherTabMemory(workspaceMemory(held));
    await before.opened({ folder: '/one', sessionId: 's1' });
    await before.opened({ folder: '/two', sessionId: 's2' });
    await before.opened({ folder: '/one', sessionId: 's1' });
    await before.closed({ folder: '/two', sessionId: 's2' });
    const after = new OtherTabMemory(workspaceMemory(held));
    expect([after.folderOf('s1'), after.folderOf('s2'), after.folderOf('s3')]).toEqual(['/one', null, null]);
    await after.closed({ folder: '/one', sessionId: 's1' });
    expect(after.folderOf('s1')).toBeNull();
  });
});
