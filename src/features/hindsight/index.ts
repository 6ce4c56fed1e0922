import type { WindowContext } from '../../host/window/windowContext';
import { HindsightHost } from './host/hindsightHost';
import { HindsightSetup } from './host/hindsightSetup';

/** Long-term memory on a Hindsight server of the user's (docs/memory.md). */
export function register(window: WindowContext): void {
  const { own, context, history, memory, settings } = window;
  const hindsight = own(new HindsightHost(window));
  own(memory.providers.register(hindsight.factory));
  own(memory.server.fill(new HindsightSetup(hindsight, settings)));
  own(history.connection.onDidChangeState(({ kind }) => kind === 'open' && hindsight.start()));
  own(settings.onDidChange(() => hindsight.changed()));
  own(context.secrets.onDidChange(() => hindsight.changed()));
}
