import * as vscode from 'vscode';
import { t } from '../../base/translate';
import type { ModelCatalog } from '../../models/catalog';
import type { ProviderSettings } from '../../models/providerSettings';
import { checkConnection, type ConnectionCheck } from './connectionCheck';

/** Tests an endpoint with a key and shows progress. Resolves with the endpoint at its working address. If the test
 *  fails, the user may keep the endpoint anyway (a sleeping server). Null: the test failed and the user did not keep
 *  it. */
export async function testedConnection(
  catalog: Pick<ModelCatalog, 'testConnection'>,
  endpoint: ProviderSettings,
  key: string | null,
): Promise<ProviderSettings | null> {
  for (;;) {
    const check = await tried(catalog, endpoint, key);
    if (check === null) return null;
    if (check.kind === 'answers') return check.corrected ? corrected(endpoint, check.endpoint) : check.endpoint;
    const again = t('Try Again');
    const keep = check.kind === 'failed' && !check.mayKeep ? [] : [t('Save Anyway')];
    const detail =
      keep.length === 0 ? t('Nothing was saved.') : t('The key is not saved yet. Save it anyway to test it later.');
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
      title: t('Testing {name} ({host})…', { name: endpoint.name, host: new URL(endpoint.baseUrl).host }),
      cancellable: true,
    },
    (_progress, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      return checkConnection(catalog, endpoint, key, t, stop.signal).then((check) =>
        stop.signal.aborted ? null : check,
      );
    },
  );
}

/** Asks before replacing an address that the user typed. */
async function corrected(written: ProviderSettings, working: ProviderSettings): Promise<ProviderSettings | null> {
  const use = t('Use It');
  const sentence = t('No answer from {written}, but {working} lists models.', {
    written: written.baseUrl,
    working: working.baseUrl,
  });
  return (await vscode.window.showInformationMessage(sentence, { modal: true }, use)) === use ? working : null;
}
