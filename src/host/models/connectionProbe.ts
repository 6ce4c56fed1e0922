import * as vscode from 'vscode';
import type { ModelCatalog } from '../../models/catalog';
import type { ProviderSettings } from '../../models/providerSettings';
import { checkConnection, type ConnectionCheck } from './connectionCheck';

const translate = (message: string, args?: Record<string, string>): string =>
  args === undefined ? vscode.l10n.t(message) : vscode.l10n.t(message, args);

/** Tries an endpoint with a key and shows that it does. Resolves with the endpoint to use, at the address that works; null when it does not and
 *  the person does not want it all the same: an address that is merely asleep can be kept. */
export async function testedConnection(
  catalog: Pick<ModelCatalog, 'testConnection'>,
  endpoint: ProviderSettings,
  key: string | null,
): Promise<ProviderSettings | null> {
  for (;;) {
    const check = await tried(catalog, endpoint, key);
    if (check === null) return null;
    if (check.kind === 'answers') return check.corrected ? corrected(endpoint, check.endpoint) : check.endpoint;
    const again = vscode.l10n.t('Try Again');
    const keep = check.kind === 'failed' && !check.mayKeep ? [] : [vscode.l10n.t('Save Anyway')];
    const detail =
      keep.length === 0
        ? vscode.l10n.t('Nothing was saved.')
        : vscode.l10n.t('The key is not saved yet. Save it anyway to test it later.');
    const pressed = await vscode.window.showWarningMessage(check.sentence, { modal: true, detail }, again, ...keep);
    if (pressed === undefined) return null;
    if (pressed !== again) return check.kind === 'empty' ? check.endpoint : endpoint;
  }
}

async function tried(
  catalog: Pick<ModelCatalog, 'testConnection'>,
  endpoint: ProviderSettings,
  key: string | null,
): Promise<ConnectionCheck | null> {
  return vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Testing {name} ({host})…', { name: endpoint.name, host: new URL(endpoint.baseUrl).host }),
      cancellable: true,
    },
    (_progress, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      return checkConnection(catalog, endpoint, key, translate, stop.signal).then((check) =>
        stop.signal.aborted ? null : check,
      );
    },
  );
}

/** An address that was typed is not changed behind the person's back. */
async function corrected(written: ProviderSettings, working: ProviderSettings): Promise<ProviderSettings | null> {
  const use = vscode.l10n.t('Use It');
  const sentence = vscode.l10n.t('No answer from {written}, but {working} lists models.', {
    written: written.baseUrl,
    working: working.baseUrl,
  });
  return (await vscode.window.showInformationMessage(sentence, { modal: true }, use)) === use ? working : null;
}
