import type { LogOutputChannel } from 'vscode';
import type { Log } from '../../base/log';

/** Adapts the editor's log channel to the project's `Log`. The editor provides levels, times and "Set Log Level…". */
export function outputLog(channel: LogOutputChannel): Log {
  return {
    trace: (message) => channel.trace(message),
    info: (message) => channel.info(message),
    warn: (message) => channel.warn(message),
    error: (message) => channel.error(message),
  };
}
