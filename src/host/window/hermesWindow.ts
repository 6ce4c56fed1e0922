import * as vscode from 'vscode';
import { withinTime } from '../../base/pause';
import { followChanges } from './windowChanges';
import { registerWindowCommands } from './windowCommands';
import { type Feature, WindowContext } from './windowContext';
import { followStore } from './windowStoreChanges';

/** Milliseconds for turns to settle, and for the store to close. The editor gives an extension five seconds in
 *  total. */
const settleTimeoutMs = 3000;
const closeTimeoutMs = 1500;
/** Additional milliseconds for servers of tools to end on their own. */
const serversTimeoutMs = 300;

/** Builds and connects the parts of one editor window. Nothing here waits: the store opens and models are searched
 *  while the window starts. */
export class HermesWindow {
  private readonly window: WindowContext;

  /** `features`: with names. The manifest shows commands of a feature only where `hermes.feature.<name>` is set. */
  constructor(context: vscode.ExtensionContext, distFolder: string, features: readonly (readonly [string, Feature])[]) {
    this.window = new WindowContext(context, distFolder);
    for (const [name, feature] of features) {
      this.window.features.push(name);
      feature.register(this.window);
      void vscode.commands.executeCommand('setContext', `hermes.feature.${name}`, true);
    }
    registerWindowCommands(this.window);
    followStore(this.window);
    followChanges(this.window);
  }

  /** Return value of `activate()`. */
  get exports(): object | null {
    return this.window.exports.current;
  }

  async close(): Promise<void> {
    const { terminal, gateway, closing, servers, history, turnHooks, lifetime, clock, log } = this.window;
    void terminal.closing();
    await withinTime(clock, settleTimeoutMs, gateway.shutdown()).catch((error: unknown) =>
      log.error('Turns could not be settled at closing', error),
    );
    closing.run();
    const ended = servers.current?.close() ?? Promise.resolve();
    const hooks = withinTime(clock, closeTimeoutMs, turnHooks.current?.closing() ?? Promise.resolve());
    await withinTime(clock, closeTimeoutMs, history.store.close()).catch((error: unknown) =>
      log.error('The store could not be closed in order', error),
    );
    await hooks;
    await withinTime(clock, serversTimeoutMs, ended);
    lifetime.dispose();
  }
}
