export { CodeServer, type CodeServerOptions } from './codeServer';
export { Browser } from './browser';
export { VscodeSession, type VscodeSessionOptions } from './vscodeSession';
export { Workbench, type WebviewPlace } from './workbench';
export { copyStateDb, readStateDb, type Row } from './stateDb';
export { quietSettings, UserSettings, type Settings } from './userSettings';
export { freePort } from './port';
export {
  endProcessesOf,
  guard,
  isAlive,
  patience,
  processesOf,
  projectRoot,
  signal,
  usualLimitMs,
  waitFor,
  waitUntilGone,
  within,
} from './processes';
export { write } from './writing';
