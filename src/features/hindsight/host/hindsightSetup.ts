import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { HermesSettings } from '../../../host/settings/settings';
import type { SettingsWatcher } from '../../../host/settings/settingsWatcher';
import type { MemoryChoice } from '../../../host/window/windowMemory';
import { parseEndpoint } from '../../../models/http/endpoint';
import { failureSentence, type HindsightAnswer } from '../core/failure';
import { type HindsightPlace, type ServerVersion, testHindsight } from '../core/hindsightApi';
import { hindsightName } from '../core/outboxEntries';
import { hindsightPlace, type HindsightHost } from './hindsightHost';

const cloudAddress = 'https://api.hindsight.vectorize.io';
const localAddress = 'http://127.0.0.1:8888';

/** Sets up a Hindsight server as memory. Explains what will be sent where before sending anything. */
export class HindsightSetup implements MemoryChoice {
  readonly provider = hindsightName;

  constructor(
    private readonly hindsight: Pick<HindsightHost, 'connectionTo' | 'keyOf' | 'keepKey' | 'changed'>,
    private readonly settings: Pick<SettingsWatcher, 'saveHindsight'> & {
      readonly current: Pick<HermesSettings, 'hindsightUrl' | 'hindsightBank'>;
    },
  ) {}

  get label(): string {
    return t('Hindsight Server…');
  }

  get detail(): string {
    return t('Long-term memory: completed turns are sent to a server you choose. Keeps the built-in notes.');
  }

  async choose(): Promise<void> {
    const place = await this.askForPlace();
    if (place === null || !(await agreed(place))) return;
    const key = await this.connectingKey(place);
    if (key === undefined) return;
    if (key !== null) await this.hindsight.keepKey(place.origin, key);
    await this.settings.saveHindsight(place.baseUrl, place.bank);
    this.hindsight.changed();
    void vscode.window.showInformationMessage(
      t('Starting with your next prompt, Hindsight at {host} remembers completed turns.', {
        host: place.host,
      }),
    );
  }

  private async askForPlace(): Promise<HindsightPlace | null> {
    const title = t('Set Up Memory');
    const { hindsightUrl: url, hindsightBank: bank } = this.settings.current;
    const address = await vscode.window.showInputBox({
      title,
      prompt: t('Hindsight server address. For the cloud: {address}', { address: cloudAddress }),
      value: url ?? localAddress,
      ignoreFocusOut: true,
      validateInput: (text) =>
        parseEndpoint(text) === null ? t('Enter a full web address that begins with http:// or https://.') : undefined,
    });
    if (address === undefined) return null;
    const name = await vscode.window.showInputBox({
      title,
      prompt: t('Memory bank. Everything in a bank is recalled together. A new name creates a new bank.'),
      value: bank ?? 'hermes',
      ignoreFocusOut: true,
      validateInput: (text) =>
        /^[A-Za-z0-9_.-]+$/.test(text.trim())
          ? undefined
          : t('A bank’s name can contain only letters, digits, dots, dashes, and underscores.'),
    });
    return name === undefined ? null : hindsightPlace(address, name.trim());
  }

  /** A key that the server accepts. Null: none to save; it needs none, or the stored key works. Undefined: the user
   *  canceled, or the server cannot be used. First tries a server on this machine without asking for a key. */
  private async connectingKey(place: HindsightPlace): Promise<string | null | undefined> {
    const kept = (await this.hindsight.keyOf(place.origin)) ?? null;
    let key = kept;
    if (parseEndpoint(place.baseUrl)?.loopback !== true) {
      const entered = await askForKey(place, kept !== null);
      if (entered === undefined) return undefined;
      key = entered === '' ? kept : entered;
    }
    for (;;) {
      const answer = await this.tested(place, key);
      if (answer === null) return undefined;
      if (answer.kind === 'ok') return key === kept ? null : key;
      const sentence = setupSentence(answer, place.host, key !== null);
      if (answer.failure.cause !== 'auth') {
        await vscode.window.showErrorMessage(sentence, { modal: true });
        return undefined;
      }
      const again = t('Enter a Key');
      if ((await vscode.window.showErrorMessage(sentence, { modal: true }, again)) !== again) return undefined;
      const entered = await askForKey(place, false);
      if (entered === undefined || entered === '') return undefined;
      key = entered;
    }
  }

  /** Null when the user canceled the test. */
  private async tested(place: HindsightPlace, key: string | null): Promise<HindsightAnswer<ServerVersion> | null> {
    const { api } = this.hindsight.connectionTo(place, key);
    return vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: t('Testing Hindsight ({host})…', { host: place.host }),
        cancellable: true,
      },
      async (_progress, token) => {
        const stop = new AbortController();
        token.onCancellationRequested(() => stop.abort());
        const answer = await testHindsight(api, stop.signal);
        return stop.signal.aborted ? null : answer;
      },
    );
  }
}

async function agreed({ host }: HindsightPlace): Promise<boolean> {
  const connect = t('Connect');
  const sentence = t(
    'Completed turns from every session in this workspace are sent to {host}. Deleting a session here does not delete them there.',
    { host },
  );
  const detail = t(
    'Text that looks like a key or password is masked first. Private sessions are not sent. Forget Session… asks the server to delete its copy of a session.',
  );
  return (await vscode.window.showInformationMessage(sentence, { modal: true, detail }, connect)) === connect;
}

async function askForKey({ host }: HindsightPlace, isKept: boolean): Promise<string | undefined> {
  const entered = await vscode.window.showInputBox({
    title: t('Set Up Memory'),
    prompt: isKept
      ? t('Key for {host}. Leave empty to use the saved key.', { host })
      : t(
          'Key for {host}. Stored in VS Code’s secret storage. Sent only to this server. Leave empty if it needs no key.',
          { host },
        ),
    password: true,
    ignoreFocusOut: true,
    validateInput: (text) => (/^\s*\S*\s*$/.test(text) ? undefined : t('A key can’t contain spaces.')),
  });
  return entered?.trim();
}

function setupSentence(
  { failure }: Extract<HindsightAnswer<unknown>, { readonly kind: 'failed' }>,
  host: string,
  hadKey: boolean,
): string {
  switch (failure.cause) {
    case 'auth': {
      const values = { host, status: String(failure.status ?? 401) };
      return hadKey
        ? t('Hindsight at {host} refused the key ({status}). Nothing was changed.', values)
        : t('Hindsight at {host} requires a key ({status}). Nothing was changed.', values);
    }
    case 'network':
      return t('Can’t reach {host} ({code}). Nothing was changed. Start the server, or correct the address.', {
        host,
        code: failure.detail === '' ? 'network' : failure.detail,
      });
    case 'timeout':
      return t('Hindsight at {host} didn’t answer in time. Nothing was changed.', { host });
    case 'notHindsight':
    case 'notFound':
      return t('The server at {host} isn’t Hindsight. Nothing was changed.', { host });
    default:
      return failureSentence(failure, host);
  }
}
