export { runFaultMatrix } from './faultMatrix';
export { ownStreams, streamsIn } from './faultStreams';
