import { describe, expect, test } from 'vitest';
import { DeferredRefresh } from '../../../../src/host/library/sessionsTree';

/** A box of the editor, and how the person answers it. */
function box(): { readonly answer: Promise<string>; readonly answered: (text: string) => void } {
  let answered: (text: string) => void = () => undefined;
  const answer = new Promise<string>((resolve) => (answered = resolve));
  return { answer, answered: (text) => answered(text) };
}

/** A view whose drawings are counted. */
function view(): { readonly rest: DeferredRefresh; readonly drawn: () => number } {
  let drawings = 0;
  return { rest: new DeferredRefresh(() => void drawings++), drawn: () => drawings };
}

describe('a view', () => {
  test('is left alone while a box is open, and refreshed once after the last one', async () => {
    const { rest, drawn } = view();
    const [first, second] = [box(), box()];
    const answers = [rest.while(() => first.answer), rest.while(() => second.answer)];
    rest.requestRefresh();
    rest.requestRefresh();
    const open = drawn();
    first.answered('one');
    await answers[0];
    const oneLeft = drawn();
    second.answered('two');
    expect([open, oneLeft, await Promise.all(answers), drawn()]).toEqual([0, 0, ['one', 'two'], 1]);
  });

  test('is refreshed after a box that failed, and not at all if nothing changed', async () => {
    const { rest, drawn } = view();
    await rest.while(async () => undefined);
    const unchanged = drawn();
    const failed = rest.while(async () => {
      rest.requestRefresh();
      throw new Error('The window is closing.');
    });
    await expect(failed).rejects.toThrow('The window is closing.');
    expect([unchanged, drawn()]).toEqual([0, 1]);
  });
});
