import type { LogOutputChannel } from 'vscode';
import type { Log } from '../../base/log';

/** The house's log on the editor's own log channel: levels, times and "Set Log Level…" are the editor's. */
export function outputLog(channel: LogOutputChannel): Log {
  return {
    trace: (message) => channel.trace(message),
    info: (message) => channel.info(message),
    warn: (message) => channel.warn(message),
    error: (message) => channel.error(message),
  };
}
