import { nameOf } from '../elements';
import { answer, prompt, settledTurn, shownSession } from '../../../support/builders/viewMessages';

/** Three questions, each with its answer. */
export const rows = [1, 2, 3].flatMap((turn) => [
  prompt({ uid: `u${turn}`, position: turn * 10, turnUid: `turn${turn}` }, `Question ${turn}`),
  answer({ uid: `a${turn}`, position: turn * 10 + 1, turnUid: `turn${turn}` }, [`Answer ${turn}`]),
]);
export const turns = [1, 2, 3].map((turn) => settledTurn(`turn${turn}`, `u${turn}`));
export const threeTurns = shownSession({ messages: rows, turns });

/** The button of that name in a message. */
export const inArticle = (uid: string, name: string): HTMLElement => {
  const button = [...document.querySelectorAll<HTMLElement>(`article[data-uid=${uid}] button`)].find(
    (candidate) => nameOf(candidate) === name,
  );
  if (button === undefined) throw new Error(`There is no "${name}" in ${uid}`);
  return button;
};
