export { startModelServer } from './modelServer';
export type { ModelServer, ModelServerOptions, Responder } from './modelServer';
export type { RecordedRequest, ServerProtocol } from './ledger';
export type { LocalServer, ServedModel } from './modelLists';
export { playsRecording } from './recordedStream';
export { answersHtml, answersJson, answersNothing, dropsBeforeAnswering, refuses, reply } from './reply';
export type { FinishWord, Reply, ReplyUsage, Scenario, Scripted } from './reply';
