import { randomUUID } from 'node:crypto';
import { t } from '../../base/translate';
import { lazyBundle } from '../../host/common/lazyBundle';
import type { WindowContext } from '../../host/window/windowContext';
import type * as client from './core/client/index';
import { HindsightHost } from './host/hindsightHost';
import { HindsightSetup } from './host/hindsightSetup';

/** Long-term memory on a Hindsight server of the user's (docs/memory.md). */
export function register({
  own,
  context,
  distFolder,
  history,
  memory,
  settings,
  keys,
  clock,
  log,
}: WindowContext): void {
  const hindsight = own(
    new HindsightHost({
      store: history.store,
      keys,
      clock,
      log,
      settings: () => settings.current,
      loadClient: lazyBundle<typeof client, 'createHindsightApi'>(
        distFolder,
        { file: 'hindsight.js', name: 'Hindsight' },
        'createHindsightApi',
      ),
      uid: randomUUID,
      t,
      setNotices: (notices) => history.status.setNotices('memory', notices),
    }),
  );
  own(memory.providers.register(hindsight.factory));
  own(
    memory.server.fill(
      new HindsightSetup({
        hindsight,
        current: () => ({ url: settings.current.hindsightUrl, bank: settings.current.hindsightBank }),
        save: (url, bank) => settings.saveHindsight(url, bank),
      }),
    ),
  );
  own(history.connection.onDidChangeState(({ kind }) => kind === 'open' && hindsight.start()));
  own(settings.onDidChange(() => hindsight.changed()));
  own(context.secrets.onDidChange(() => hindsight.changed()));
}
