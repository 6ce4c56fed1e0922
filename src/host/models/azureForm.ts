import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { azureOpenai, azureResource } from '../../models/azureOpenai';
import type { ProviderSettings } from '../../models/providerSettings';
import { freeName } from './endpointForm';

/** Typed as it is in any language. */
const exampleDeployment = 'gpt-5-mini';

/** Asks for the resource and its deployments: a resource lists the models that it could deploy, not those that answer.
 *  Null when the user cancels. */
export async function askForAzure(taken: readonly string[]): Promise<ProviderSettings | null> {
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
