export { peerAgents } from './agents';
export { ourTrial } from './ours';
export { ourCost } from './oursCost';
export { ourVscodeTrial } from './oursInVscode';
export { peerCost } from './peerCost';
export { Terminal } from './terminal';
export { trial } from './trial';
