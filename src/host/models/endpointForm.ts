import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { parseEndpoint } from '../../models/http/endpoint';
import { keyIn } from '../../models/catalog/pastedKey';
import type { ProviderSettings } from '../../models/providerSettings';

export interface NewEndpoint {
  readonly endpoint: ProviderSettings;
  readonly key: string | null;
}

/** Asks for an endpoint step by step: address, protocol, name, and a key unless one was already pasted. Null when
 *  the user cancels. */
export async function askForEndpoint(taken: readonly string[], pastedKey: string | null): Promise<NewEndpoint | null> {
  const title = t('Add an Endpoint');
  const baseUrl = await vscode.window.showInputBox({
    title,
    prompt: t('Base URL. Most end in /v1.'),
    placeHolder: 'http://127.0.0.1:11434/v1',
    ignoreFocusOut: true,
    validateInput: (text) =>
      parseEndpoint(text) === null ? t('Enter a full web address that begins with http:// or https://.') : undefined,
  });
  const address = baseUrl === undefined ? null : parseEndpoint(baseUrl);
  if (address === null) return null;

  const protocol = await askForProtocol(title);
  if (protocol === null) return null;

  const name = await vscode.window.showInputBox({
    title,
    prompt: t('A name for this endpoint'),
    value: freeName(address.loopback ? 'Local' : address.destination, taken),
    ignoreFocusOut: true,
    validateInput: (text) => nameProblem(text.trim(), taken),
  });
  if (name === undefined) return null;

  const key = pastedKey ?? (await askForKey(title, address.loopback));
  if (key === undefined) return null;
  return { endpoint: { name: name.trim(), protocol, baseUrl: address.baseUrl }, key: keyIn(key) };
}

async function askForProtocol(title: string): Promise<ProviderSettings['protocol'] | null> {
  const picked = await vscode.window.showQuickPick(
    [
      {
        label: 'OpenAI',
        description: t('chat completions: used by most servers'),
        protocol: 'openai' as const,
      },
      { label: 'Anthropic', description: t('messages'), protocol: 'anthropic' as const },
    ],
    { title, placeHolder: t('Which protocol does it use?'), ignoreFocusOut: true },
  );
  return picked?.protocol ?? null;
}

async function askForKey(title: string, loopback: boolean): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title,
    prompt: loopback
      ? t('Key. Local servers usually don’t need one: press Enter.')
      : t('Key. Leave empty if the endpoint needs none.'),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) =>
      text.trim() === '' || keyIn(text) !== null ? undefined : t('A key can’t contain spaces.'),
  });
}

/** Reason why a provider or an agent cannot have this name. Undefined: it can. */
export function nameProblem(name: string, taken: readonly string[]): string | undefined {
  if (name === '') return t('The name can’t be empty.');
  if (name.includes('/')) return t('The name can’t contain a slash.');
  return taken.includes(name) ? t('A provider with this name already exists.') : undefined;
}

/** Returns the wanted name, or the first free one with a number after it. */
export function freeName(wanted: string, taken: readonly string[]): string {
  const names = [wanted, ...Array.from({ length: taken.length + 1 }, (_, index) => `${wanted} ${index + 2}`)];
  return names.find((name) => !taken.includes(name)) ?? wanted;
}
