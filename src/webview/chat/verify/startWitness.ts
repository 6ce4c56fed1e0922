import { crashTold } from './crashTold';
import { DeliveryReporter, type WitnessNeeds } from './deliveryReporter';

/** Starts the delivery report of a view, for the lifetime of its page. */
export function startWitness(needs: WitnessNeeds): void {
  const keeper = new DeliveryReporter(needs);
  keeper.start();
  crashTold.value = keeper.told;
  document.addEventListener('visibilitychange', () => keeper.look());
  window.addEventListener('pagehide', () => keeper.look());
}
