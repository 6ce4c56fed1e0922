import type { ChatHost } from '../connection/chatHost';
import type { HostRequests } from '../connection/hostRequests';
import type { Timers } from '../timers';
import type { ChatStateSignals } from './chatStateSignals';

/** Dependencies that the parts of the chat share. */
export interface ChatPartDeps {
  readonly host: ChatHost;
  /** Runs requests of the user and shows why one was refused. */
  readonly requests: HostRequests;
  readonly view: ChatStateSignals;
  readonly timers: Timers;
}
