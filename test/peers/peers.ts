export { peerAgents } from './agents';
export { ourTrial } from './ours';
export { Terminal } from './terminal';
export { trial } from './trial';
