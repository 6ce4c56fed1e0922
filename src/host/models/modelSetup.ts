import * as vscode from 'vscode';
import { joinSentences } from '../../base/messageText';
import { t } from '../../base/translate';
import type { GatewayPart } from '../../gateway/conversationGateway';
import { azureOpenai, azureResource } from '../../models/azureOpenai';
import type { ModelCatalog } from '../../models/catalog/catalog';
import { foreignKey, keyIn } from '../../models/catalog/pastedKey';
import { demoInfo } from '../../models/demo/demoModel';
import { recognizeKey, servicePresets } from '../../models/presets';
import type { ProviderSettings } from '../../models/providerSettings';
import type { ModelRow, SetupEntry } from '../../protocol/chatProtocol';
import type { SessionStore } from '../../store/session/sessionStore';
import { openPage } from '../common/editorFeatures';
import type { SettingsWatcher } from '../settings/settingsWatcher';
import { checkConnection, type ConnectionCheck } from './connectionCheck';
import { editorProviderName } from './editorModels';
import { askForEndpoint, type NewEndpoint, freeName } from './endpointForm';
import { setupEntryIds } from './modelDiscovery';
import { pickModel } from './modelPicker';
import type { ModelService } from './modelService';
import type { ProviderKeys } from './providerKeys';

/** Typed as it is in any language. */
const exampleDeployment = 'gpt-5-mini';

/** Asks for the resource and its deployments: a resource lists the models that it could deploy, not those that answer.
 *  Null when the user cancels. */
async function askForAzure(taken: readonly string[]): Promise<ProviderSettings | null> {
  const title = azureOpenai.name;
  const address = await vscode.window.showInputBox({
    title,
    prompt: t('Endpoint of your Azure OpenAI resource, or the name of the resource'),
    placeHolder: 'https://my-resource.openai.azure.com',
    ignoreFocusOut: true,
    validateInput: (text) =>
      azureResource(text) === null ? t('Enter an address like https://my-resource.openai.azure.com.') : undefined,
  });
  const resource = address === undefined ? null : azureResource(address);
  if (resource === null) return null;
  const names = await vscode.window.showInputBox({
    title,
    prompt: t('Names of your deployments, separated by commas'),
    placeHolder: exampleDeployment,
    value: resource.deployment ?? '',
    ignoreFocusOut: true,
    validateInput: (text) =>
      deploymentsIn(text).length === 0 ? t('Enter the name of at least one deployment.') : undefined,
  });
  if (names === undefined) return null;
  return {
    name: freeName(azureOpenai.name, taken),
    protocol: 'openai',
    baseUrl: resource.baseUrl,
    models: deploymentsIn(names).map((id) => ({ id })),
  };
}

function deploymentsIn(text: string): readonly string[] {
  return [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '');
}

interface SetupWindow {
  readonly catalog: Pick<ModelCatalog, 'testConnection'>;
  readonly models: ModelService;
  readonly keys: ProviderKeys;
  readonly settings: Pick<SettingsWatcher, 'current' | 'addProvider'>;
  readonly gateway: GatewayPart<'actions', 'selectModel'> & GatewayPart<'surfaces', 'shownSession'>;
  readonly history: { readonly store: Pick<SessionStore, 'getSession'> };
  readonly activeChat: { readonly surfaceId: string; focus(): Promise<void> };
}

const addEndpointId = 'addEndpoint';
const azureId = 'azure';

interface SetupItem extends vscode.QuickPickItem {
  readonly entryId: string;
}

/** Runs Set Up Model…: leads from nothing to a chosen model in a few steps. Chooses nothing for the user. Canceling
 *  at any step changes only what the user already confirmed. */
export class ModelSetup {
  constructor(private readonly window: SetupWindow) {}

  /** Runs Select Model…: offers every model of every source that is set up or was found. */
  async select(sessionId: string | null): Promise<void> {
    const session = sessionId === null ? null : await this.window.history.store.getSession(sessionId);
    const ref = await pickModel({
      title: t('Select Model'),
      current: this.window.models.stateOf(session?.model ?? null).chosen?.ref ?? null,
      list: (refresh) => this.window.models.choices(refresh),
      empty: t('No model is set up yet.'),
      elsewhere: {
        label: t('Set Up Model…'),
        go: () => void vscode.commands.executeCommand('hermes.setUpModel'),
      },
    });
    if (ref !== null) await this.window.gateway.actions.selectModel(sessionId, ref);
  }

  /** `entryId`: a setup entry of the empty state. Null: asks the user for one. */
  async run(entryId: string | null): Promise<void> {
    const chosen = entryId ?? (await this.pickEntry());
    if (chosen === null) return;
    // A user who came from the panel and cancels returns to their composer.
    if ((await this.follow(chosen)) || entryId !== null) await this.window.activeChat.focus();
  }

  /** Asks for a new key for the provider of a model, and tests it. Resolves to true when it was stored. Runs
   *  the whole setup for a provider whose address is not known here. */
  async replaceKey(ref: string): Promise<boolean> {
    const provider = ref.slice(0, ref.indexOf('/'));
    const endpoint = [...this.endpoints, ...servicePresets].find(({ name }) => name === provider);
    if (endpoint === undefined) return this.run(null).then(() => false);
    const key = await pasteKey(provider);
    if (key === null || !(await mayBeSent(key, endpoint))) return false;
    if ((await testedConnection(this.window.catalog, endpoint, key)) === null) return false;
    await this.window.keys.set(endpoint.name, endpoint.baseUrl, key);
    this.window.models.invalidate();
    return true;
  }

  /** Endpoints of the settings. */
  private get endpoints(): readonly ProviderSettings[] {
    return this.window.settings.current.providers;
  }

  /** Resolves to true when a model was chosen. */
  private async follow(chosen: string): Promise<boolean> {
    if (chosen === setupEntryIds.editorModels) return this.chooseFrom(editorProviderName, 'any');
    if (chosen === setupEntryIds.pasteKey) return this.pasteKey();
    if (chosen === setupEntryIds.demo) return this.chooseDemo();
    if (chosen === addEndpointId) return this.addEndpoint();
    if (chosen.startsWith(setupEntryIds.localPrefix))
      return this.chooseFrom(chosen.slice(setupEntryIds.localPrefix.length), 'any');
    throw new Error(`There is no way to set up a model called "${chosen}".`);
  }

  private async pickEntry(): Promise<string | null> {
    // Sources answer within about a second; the list opens at once and shows that it is busy.
    const items = this.window.models.discover().then((setup) => [...setup.entries.map(setupItem), addEndpointItem()]);
    const picked = await vscode.window.showQuickPick(items, {
      title: t('Set Up Model'),
      placeHolder: t('Choose a model provider'),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    return picked?.entryId ?? null;
  }

  private async pasteKey(): Promise<boolean> {
    const key = await pasteKey();
    if (key === null) return false;
    const service = await this.serviceOf(key);
    if (service === null) return false;
    if (service === addEndpointId) return this.addEndpoint(key);
    if (service === azureId) return this.addAzure(key);
    if (!(await mayBeSent(key, service))) return false;
    const works = await testedConnection(this.window.catalog, service, key);
    return works !== null && this.keepAndChoose(works, key, 'toolCapable');
  }

  /** Never tries a key at several services: if its shape fits more than one, the user says whose it is. */
  private async serviceOf(key: string): Promise<ProviderSettings | typeof addEndpointId | typeof azureId | null> {
    const [first, ...others] = recognizeKey(key);
    const mayBeAzure = azureOpenai.keyPattern.test(key);
    if (first !== undefined && others.length === 0 && !mayBeAzure) return first;
    const known = first === undefined ? servicePresets : [first, ...others];
    // An endpoint of the settings may need its first key, or a new one.
    const own = this.endpoints;
    const candidates = [...own, ...known.filter((service) => !own.some(({ name }) => name === service.name))];
    const azure = {
      label: `${azureOpenai.name}…`,
      description: '',
      service: azureId,
    } as const;
    const elsewhere = { label: t('Another Endpoint…'), description: '', service: addEndpointId } as const;
    const picked = await vscode.window.showQuickPick(
      [
        ...candidates.map((service) => ({ label: service.name, description: new URL(service.baseUrl).host, service })),
        ...(first === undefined || mayBeAzure ? [azure] : []),
        elsewhere,
      ],
      {
        title: t('Which provider is this key for?'),
        placeHolder: t('The key is sent to this provider once, to test it'),
        ignoreFocusOut: true,
      },
    );
    return picked?.service ?? null;
  }

  private async addEndpoint(key: string | null = null): Promise<boolean> {
    const added: NewEndpoint | null = await askForEndpoint(
      this.endpoints.map(({ name }) => name),
      key,
    );
    return added !== null && this.addTested(added);
  }

  private async addAzure(key: string): Promise<boolean> {
    const endpoint = await askForAzure(this.endpoints.map(({ name }) => name));
    return endpoint !== null && this.addTested({ endpoint, key });
  }

  private async addTested({ endpoint, key }: NewEndpoint): Promise<boolean> {
    if (key !== null && !(await mayBeSent(key, endpoint))) return false;
    const works = await testedConnection(this.window.catalog, endpoint, key);
    if (works === null) return false;
    await this.window.settings.addProvider(works);
    return this.keepAndChoose(works, key, 'any');
  }

  private async keepAndChoose(
    endpoint: ProviderSettings,
    key: string | null,
    which: 'any' | 'toolCapable',
  ): Promise<boolean> {
    if (key !== null) await this.window.keys.set(endpoint.name, endpoint.baseUrl, key);
    this.window.models.invalidate();
    return this.chooseFrom(endpoint.name, which);
  }

  /** Offers only tool-capable models of a service, which lists hundreds. A server of the user's own offers all its
   *  models. */
  private async chooseFrom(provider: string, which: 'any' | 'toolCapable'): Promise<boolean> {
    const ref = await pickModel({
      title: t('Select a Model from {provider}', { provider }),
      current: null,
      list: () => this.window.models.modelsOf(provider),
      // Models with unknown capabilities stay in the list.
      accepts: (row) => which === 'any' || row.tools !== false,
      empty:
        which === 'any'
          ? t('{provider} has no models yet.', { provider })
          : t('None of {provider}’s models can call tools.', { provider }),
    });
    return ref !== null && this.choose(ref);
  }

  private async chooseDemo(): Promise<boolean> {
    await this.window.models.modelsOf(demoInfo.provider);
    return this.choose(demoInfo.ref);
  }

  private async choose(ref: string): Promise<true> {
    // Read before choosing: choosing writes a setting, and changed settings clear the service's cache.
    const row = this.window.models.stateOf(ref).chosen;
    const { gateway, activeChat } = this.window;
    await gateway.actions.selectModel(gateway.surfaces.shownSession(activeChat.surfaceId), ref);
    if (row !== null) notifyReady(row);
    return true;
  }
}

/** Notifies once after a model was set up, with only what is known and tested. Does not wait for the notification to
 *  close. */
function notifyReady(row: ModelRow): void {
  const ready = row.isDemo
    ? t('{model} is ready. Answers are scripted and nothing leaves your machine.', { model: row.label })
    : t('Prompts go to {model} on {host}.', { model: row.label, host: row.destination });
  if (row.warnings.length === 0) void vscode.window.showInformationMessage(ready);
  else void vscode.window.showWarningMessage(joinSentences([ready, ...row.warnings]));
}

/** Asks before sending a key that clearly belongs to another service. */
async function mayBeSent(key: string, endpoint: ProviderSettings): Promise<boolean> {
  const owner = foreignKey(key, endpoint);
  if (owner === null) return true;
  const send = t('Send to {host}', { host: new URL(endpoint.baseUrl).host });
  const sentence = t('This looks like a key for {owner}, but it would go to {name} ({host}). It has not been sent.', {
    owner: owner.name,
    name: endpoint.name,
    host: new URL(endpoint.baseUrl).host,
  });
  return (await vscode.window.showWarningMessage(sentence, { modal: true }, send)) === send;
}

function setupItem({ id, title, detail }: SetupEntry): SetupItem {
  return { label: title, detail, entryId: id };
}

function addEndpointItem(): SetupItem {
  return {
    label: t('Add an Endpoint…'),
    detail: t('Any server that supports the OpenAI or Anthropic protocol.'),
    entryId: addEndpointId,
  };
}

/** Tests an endpoint with a key and shows progress. Resolves with the endpoint at its working address. If the test
 *  fails, the user may keep the endpoint anyway (a sleeping server). Null: the test failed and the user did not keep
 *  it. */
async function testedConnection(
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
      return checkConnection(catalog, endpoint, key, stop.signal).then((check) => (stop.signal.aborted ? null : check));
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

type Answer = { readonly kind: 'key'; readonly key: string } | { readonly kind: 'getKey' } | { readonly kind: 'left' };

/** Asks for a key until one is pasted. Its button opens the key page of a provider that the user picks, and then asks
 *  again. Null when the user cancels. */
async function pasteKey(provider: string | null = null): Promise<string | null> {
  for (;;) {
    const answer = await askOnce(provider);
    if (answer.kind === 'key') return answer.key;
    if (answer.kind === 'left') return null;
    await openKeyPage();
  }
}

function askOnce(provider: string | null): Promise<Answer> {
  const box = vscode.window.createInputBox();
  box.title = provider === null ? t('Paste a Key') : `${t('Paste a Key')} (${provider})`;
  box.prompt = t('Stored in VS Code’s secret storage. Sent only to the provider.');
  box.placeholder = t('API key, for example sk-or-…');
  box.password = true;
  box.ignoreFocusOut = true;
  box.buttons = [{ iconPath: new vscode.ThemeIcon('link-external'), tooltip: t('Get a Key') }];
  return new Promise((resolve) => {
    const leave = (answer: Answer): void => {
      resolve(answer);
      box.hide();
    };
    box.onDidChangeValue((text) => {
      box.validationMessage = text.trim() === '' || keyIn(text) !== null ? undefined : spacesProblem();
    });
    box.onDidAccept(() => {
      const key = keyIn(box.value);
      if (key !== null) leave({ kind: 'key', key });
      else box.validationMessage = box.value.trim() === '' ? t('Paste a key, or press Escape.') : spacesProblem();
    });
    box.onDidTriggerButton(() => leave({ kind: 'getKey' }));
    box.onDidHide(() => {
      resolve({ kind: 'left' });
      box.dispose();
    });
    box.show();
  });
}

async function openKeyPage(): Promise<void> {
  const picked = await vscode.window.showQuickPick(
    [...servicePresets, azureOpenai].map(({ name, keyPage }) => ({
      label: name,
      description: new URL(keyPage).host,
      keyPage,
    })),
    {
      title: t('Get a Key'),
      placeHolder: t('Choose a provider to open its key page in your browser'),
      matchOnDescription: true,
      ignoreFocusOut: true,
    },
  );
  if (picked !== undefined) await openPage(picked.keyPage);
}

function spacesProblem(): string {
  return t('A key can’t contain spaces.');
}
