import { crashTold } from './crashTold';
import { DeliveryReporter, type WitnessNeeds } from './deliveryReporter';

/** Begins to keep the witness of a view, for as long as its page is there. */
export function startWitness(needs: WitnessNeeds): void {
  const keeper = new DeliveryReporter(needs);
  keeper.start();
  crashTold.value = keeper.told;
  document.addEventListener('visibilitychange', () => keeper.look());
  window.addEventListener('pagehide', () => keeper.look());
}
