import { SimulatedNetwork, SimulatedServer } from '../../support/simulatedServer';
import { syncContract } from '../../support/syncContract';

syncContract(() => {
  const network = new SimulatedNetwork(new SimulatedServer(), () => 'done');
  return Promise.resolve(() => network.wayOf());
});
