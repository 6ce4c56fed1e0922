import { hostname } from 'node:os';
import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { ModelCatalog } from '../../models/catalog/catalog';
import { DemoProvider } from '../../models/demo/demoProvider';
import type * as providers from '../../models/providers/index';
import { lazyBundle } from '../common/lazyBundle';
import { bundledPrices } from '../models/bundledPrices';
import { editorProviderName, EditorModels } from '../models/editorModels';
import { ModelService } from '../models/modelService';
import type { WindowContext } from './windowContext';

export function createCatalog({ agents, distFolder, settings, keys, clock, log }: WindowContext): ModelCatalog {
  const createTransports = lazyBundle<typeof providers, 'createTransports'>(
    distFolder,
    { file: 'providers.js', name: 'providers' },
    'createTransports',
  );
  return new ModelCatalog({
    settings: () => settings.current.providers,
    others: [new EditorModels(clock, log), new DemoProvider(clock)],
    more: () => agents.current?.providers() ?? [],
    keyOf: (provider, origin) => keys.get(provider, origin),
    loadTransports: async () => createTransports()(),
    fetch: (...request) => globalThis.fetch(...request),
    clock,
    prices: bundledPrices(distFolder, log),
  });
}

export function createModels({ catalog, settings, clock, log }: WindowContext): ModelService {
  return new ModelService({
    catalog,
    defaultModel: () => settings.current.model,
    labels: { editorProvider: editorProviderName, machine: thisMachine() },
    clock,
    log,
  });
}

/** Name of the machine on which local servers are searched. In a remote window, that is not the user's own machine. */
function thisMachine(): string {
  return vscode.env.remoteName === undefined
    ? t('this machine')
    : t('the remote machine ({name})', { name: hostname() });
}
