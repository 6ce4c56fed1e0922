import { shownList } from '../../base/translate';
import type { Log } from '../../base/log';
import { t } from '../../base/translate';
import type { ModelCatalog } from '../../models/catalog/catalog';
import type { FoundServer } from '../../models/catalog/discovery';
import type { ModelInfo } from '../../models/modelInfo';
import type { Setup, SetupEntry } from '../../protocol/chatProtocol';
import { describeError } from '../common/describeError';

export interface DiscoveryLabels {
  readonly editorProvider: string;
  /** "this machine", or in a remote window the name of that machine: local servers are searched where the extension
   *  runs. */
  readonly machine: string;
}

/** Ids of setup entries: `editorModels`, `local:<provider>`, `pasteKey`, `demo`. */
export const setupEntryIds = {
  editorModels: 'editorModels',
  pasteKey: 'pasteKey',
  demo: 'demo',
  localPrefix: 'local:',
} as const;

/** Searches for models that work without any setup, and caches the results. Always offers to paste a key and to try
 *  the demo. */
export class ModelDiscovery {
  private editor: readonly ModelInfo[] = [];
  private servers: readonly FoundServer[] = [];
  private running: Promise<void> | null = null;
  private searched = false;

  constructor(
    private readonly catalog: Pick<ModelCatalog, 'discover' | 'providerNamed'>,
    private readonly labels: DiscoveryLabels,
    private readonly log: Log,
    private readonly onChange: () => void,
  ) {}

  get setup(): Setup {
    return { searching: this.running !== null || !this.searched, entries: this.entries() };
  }

  /** Runs one search at a time. Resolves when every source has answered. Notifies of each result as it comes. */
  run(signal: AbortSignal): Promise<void> {
    this.running ??= this.search(signal).finally(() => {
      this.running = null;
      this.searched = true;
      if (!signal.aborted) this.onChange();
    });
    return this.running;
  }

  private async search(signal: AbortSignal): Promise<void> {
    // Notify after `running` is set, so that the setup shows a running search.
    await Promise.resolve();
    this.onChange();
    await Promise.all([
      this.part('local servers', signal, async () => void (this.servers = await this.catalog.discover(signal))),
      this.part('editor models', signal, async () => {
        const listing = await this.catalog.providerNamed(this.labels.editorProvider)?.listModels(signal);
        this.editor = listing?.kind === 'models' ? listing.models : [];
      }),
    ]);
  }

  private async part(what: string, signal: AbortSignal, search: () => Promise<void>): Promise<void> {
    try {
      await search();
      if (!signal.aborted) this.onChange();
    } catch (error) {
      this.log.warn(`Looking for ${what} failed: ${describeError(error).sentence}`);
    }
  }

  private entries(): readonly SetupEntry[] {
    return [
      ...(this.editor.length === 0 ? [] : [this.editorEntry()]),
      ...this.servers.map((server) => this.serverEntry(server)),
      {
        id: setupEntryIds.pasteKey,
        kind: 'pasteKey',
        title: t('Paste a Key'),
        detail: t(
          'OpenRouter, Anthropic, OpenAI, Google Gemini, and others. The key is tested, then stored in VS Code’s secret storage.',
        ),
      },
      {
        id: setupEntryIds.demo,
        kind: 'demo',
        title: t('Try the Demo'),
        detail: t('A scripted tour, not AI. Works offline.'),
      },
    ];
  }

  private editorEntry(): SetupEntry {
    const labels = [...new Set(this.editor.map(({ label }) => label))];
    const detail =
      labels.length > 3
        ? t('{some} and {count} more', { some: shownList(labels.slice(0, 3)), count: String(labels.length - 3) })
        : shownList(labels);
    return { id: setupEntryIds.editorModels, kind: 'editorModels', title: t('Use VS Code’s Models'), detail };
  }

  private serverEntry({ name, destination, modelIds }: FoundServer): SetupEntry {
    const { machine } = this.labels;
    const args = { name, machine, count: String(modelIds.length) };
    const title =
      modelIds.length === 0
        ? t('Found {name} on {machine}: no models yet', args)
        : modelIds.length === 1
          ? t('Found {name} on {machine}: 1 model', args)
          : t('Found {name} on {machine}: {count} models', args);
    return { id: `${setupEntryIds.localPrefix}${name}`, kind: 'localServer', title, detail: destination };
  }
}
