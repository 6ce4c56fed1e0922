export { peerAgents } from './agents';
export { ourTrial } from './ours';
export { ourCost, ourStart } from './oursCost';
export { ourVscodeTrial } from './oursInVscode';
export { peerCost, peerStart } from './peerCost';
export { Terminal } from './terminal';
export { trial } from './trial';
