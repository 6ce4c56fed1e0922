// The optional features of the product (README.md). Removing a line removes the feature.
export * as agentFiles from './agentFiles';
export * as agents from './agents';
export * as api from './api';
export * as backup from './backup';
export * as builtinMemory from './builtinMemory';
export * as codeActions from './codeActions';
export * as crashDemo from './crashDemo';
export * as firstSteps from './firstSteps';
export * as hindsight from './hindsight';
export * as history from './history';
export * as mcp from './mcp';
export * as otherFolders from './otherFolders';
export * as review from './review';
export * as search from './search';
export * as sync from './sync';
export * as transcript from './transcript';
