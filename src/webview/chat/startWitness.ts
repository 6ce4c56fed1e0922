import { crashTold } from './crashTold';
import { WitnessKeeper, type WitnessNeeds } from './witnessKeeper';

/** Begins to keep the witness of a view, for as long as its page is there. */
export function startWitness(needs: WitnessNeeds): void {
  const keeper = new WitnessKeeper(needs);
  keeper.start();
  crashTold.value = keeper.told;
  document.addEventListener('visibilitychange', () => keeper.look());
  window.addEventListener('pagehide', () => keeper.look());
}
