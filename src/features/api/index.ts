import type { WindowContext } from '../../host/window/windowContext';
import { ExtensionApi } from './core/extensionApi';

/** The API that other extensions get from `activate()` (docs/api.md). */
export function register({ own, gateway, history, memory, settings, exports, log }: WindowContext): void {
  const api = new ExtensionApi({
    gateway,
    store: history.store,
    memory: memory.providers,
    log,
    chosenMemory: () => settings.current.memoryProvider,
  });
  own(exports.fill(own(api).exports));
}
