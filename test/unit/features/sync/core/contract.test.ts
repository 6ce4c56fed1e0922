import { SimulatedNetwork, SimulatedServer } from '../../../../support/simulatedServer';
import { SimulatedTurns } from '../../../../support/simulatedTurns';
import { syncContract } from '../../../../support/syncContract';
import { turnsContract } from '../../../../support/turnsContract';

syncContract(() => {
  const network = new SimulatedNetwork(new SimulatedServer(), () => 'done');
  return Promise.resolve(() => network.wayOf());
});

turnsContract(() => {
  const server = new SimulatedServer();
  const turns = new SimulatedTurns(server);
  return Promise.resolve({
    server: new SimulatedNetwork(server, () => 'done').wayOf(),
    turns: (origin) => turns.of(origin),
    expireLeases: () => void (server.clock += 61),
  });
});
