// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import { ScrollPositions } from '../../../../../src/webview/chat/state/foldState';
import { noMemory, type ViewMemory } from '../../../../../src/webview/chat/connection/viewMemory';
import { answer, prompt, session, settledTurn, shownSession } from '../../../../support/builders/viewMessages';
import { ChatPage } from '../chatPage';

describe('places in sessions', () => {
  test('are remembered for the twenty sessions left last; the end with nothing unfolded is not a place', () => {
    let kept = noMemory();
    const placesOf = (recalled: ViewMemory): ScrollPositions =>
      new ScrollPositions({ memory: { recalled, remember: (change) => (kept = { ...kept, ...change }) } });
    const places = placesOf(kept);
    for (let number = 0; number < 25; number++) places.note(`s${number}`, { anchor: { uid: `u${number}`, offset: 3 } });
    places.note('s24', { openFolds: ['f'] });
    places.note('s23', { anchor: null });
    expect([
      kept.places.length,
      kept.places[0],
      places.of('s4'),
      places.of('s23'),
      placesOf(kept).of('s10')?.anchor?.uid,
    ]).toEqual([19, { conversationId: 's24', anchor: { uid: 'u24', offset: 3 }, openFolds: ['f'] }, null, null, 'u10']);
  });

  test('unfolded content of a session is unfolded again when it is shown again', async () => {
    const other = session({ id: 's2', conversationId: 's2', title: 'Another' });
    const shown = shownSession({
      messages: [
        prompt({ uid: 'u1', position: 1 }, 'Why?'),
        answer({ uid: 'a1', position: 2 }, [{ kind: 'thinking', text: 'It is …' }, 'Because.']),
      ],
      turns: [settledTurn()],
    });
    const page = new ChatPage();
    const isOpen = (): boolean => document.querySelector('[data-part=thinking]')?.hasAttribute('hidden') === false;
    await page.bootstrap(shown);
    await page.press('Thought');
    const opened = isOpen();
    await page.tell('shown', shownSession({ session: other }));
    const elsewhere = page.memory.openFolds;
    await page.tell('shown', shown);
    expect([opened, elsewhere, isOpen(), page.memory.openFolds]).toEqual([true, [], true, ['a1:0']]);
    page.close();
  });
});
