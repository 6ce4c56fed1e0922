import { describe, expect, it } from 'vitest';
import type { SessionSnapshot } from '../../../../src/gateway/gateway';
import { PageWindow, pageSize } from '../../../../src/host/chat/chatSnapshot';
import { session, userMessage } from '../scriptedGateway';

/** A session of that many messages, m1 … mN, that notes how many of them were asked for. */
function stored(count: number) {
  const asked: number[] = [];
  const snapshot = async (_sessionId: string, size: number): Promise<SessionSnapshot> => {
    asked.push(size);
    const messages = Array.from({ length: Math.min(count, size) }, (_, index) =>
      userMessage(`m${Math.max(0, count - size) + index + 1}`, 'x'),
    );
    return {
      session: session('s1'),
      page: { messages, turns: [], versions: [], hasEarlier: messages.length < count, total: count, later: 0 },
      queue: [],
      draft: '',
      draftParts: [],
      openTurn: null,
      activity: null,
      approval: null,
      mode: 'ask' as const,
    };
  };
  return { asked, snapshot };
}

describe('the pages in a snapshot', () => {
  it('are one, then as many as the user has loaded, until another session is shown', async () => {
    const gateway = stored(500);
    const pages = new PageWindow();
    await pages.read(gateway, 's1');
    pages.loaded(60);
    await pages.read(gateway, 's1');
    pages.startOver();
    await pages.read(gateway, 's1');
    expect(gateway.asked).toEqual([pageSize, pageSize + 60, pageSize]);
  });

  it('reach back to a message once, and the pages read for it stay', async () => {
    const gateway = stored(500);
    const pages = new PageWindow();
    pages.reachTo('m300');
    const { page } = await pages.read(gateway, 's1');
    await pages.read(gateway, 's1');
    expect({ asked: gateway.asked, reached: page.messages.some(({ uid }) => uid === 'm300') }).toEqual({
      asked: [60, 240, 240],
      reached: true,
    });
  });

  it('end at the start of the session, also for a message that no longer exists', async () => {
    const short = stored(70);
    const endless = stored(1_000_000);
    for (const gateway of [short, endless]) {
      const pages = new PageWindow();
      pages.reachTo('gone');
      await pages.read(gateway, 's1');
    }
    expect({ short: short.asked, most: Math.max(...endless.asked) < 20_000 }).toEqual({ short: [60, 240], most: true });
  });
});
