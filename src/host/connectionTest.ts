import * as vscode from 'vscode';
import type { ModelCatalog } from '../models/catalog';
import type { ProviderSettings } from '../models/providerSettings';

/** Tries an endpoint with a key and shows that it does. False when it does not work and the person does not want it all the same; an address
 *  that is merely asleep can be kept. */
export async function testedConnection(catalog: Pick<ModelCatalog, 'testConnection'>, endpoint: ProviderSettings, key: string | null): Promise<boolean> {
  const listing = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Testing {name} ({host})…', { name: endpoint.name, host: new URL(endpoint.baseUrl).host }), cancellable: true },
    (_progress, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      return catalog.testConnection(endpoint, key, stop.signal).then((result) => (stop.signal.aborted ? null : result));
    },
  );
  if (listing === null) return false;
  if (listing.kind === 'models') return true;
  const { cause, sentence } = listing.failure;
  // A refused key is of no use; a server that does not answer now may do so later.
  const keep = cause === 'auth' || cause === 'noKey' || cause === 'badRequest' ? [] : [vscode.l10n.t('Keep It Anyway')];
  return (await vscode.window.showWarningMessage(sentence, { modal: true }, ...keep)) !== undefined;
}
