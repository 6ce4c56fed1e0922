import { setTranslations, type Translations } from '../../../../base/translate';
import { PostgresServer, type PostgresServerOptions } from './postgresServer';

/** Entry of `dist/sync.js`, which is loaded once the user has set up a server. */
export function openPostgres(deps: PostgresServerOptions, translations: Translations): PostgresServer {
  setTranslations(translations);
  return new PostgresServer(deps);
}
