import { expect, it } from 'vitest';
import { ChosenSessions } from '../../../../src/host/library/chosenSessions';
import { session } from '../../../support/builders/viewMessages';

/** Where the chat shows the session "shown", and the person, when asked, chooses "asked for" or leaves. */
function choosing(answer: string | null = 'asked for') {
  const asked: string[] = [];
  const window = {
    gateway: { surfaces: { shownSession: () => 'shown' } },
    history: {
      store: { getSession: async (id: string) => session({ id }) },
      status: { settled: async () => undefined },
    },
    activeChat: { surfaceId: 'chat' },
  };
  const chosen = new ChosenSessions(
    window as never,
    () => [],
    async (title) => (asked.push(title), answer),
  );
  const acted = async (...args: readonly unknown[]): Promise<unknown> =>
    (await chosen.all(args, 'Delete Session')).map(({ id }) => id);
  return { chosen, acted, asked };
}

it('a command acts on its row, and from the palette on the shown session', async () => {
  const { acted, asked } = choosing();
  expect([await acted({ sessionId: 'a' }, undefined), await acted(), asked]).toEqual([['a'], ['shown'], []]);
});

it('a command on a row that the editor cannot name acts only on the session the user picks', async () => {
  const { acted, asked, chosen } = choosing();
  const left = choosing(null);
  expect([
    await acted(undefined, undefined),
    asked,
    await left.acted(undefined, [undefined]),
    chosen.named([undefined, undefined]),
  ]).toEqual([['asked for'], ['Delete Session'], [], 'lost']);
});
