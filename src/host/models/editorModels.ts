import * as v from 'valibot';
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import { errorMessage } from '../../base/errorMessage';
import type { Log } from '../../base/log';
import { t } from '../../base/translate';
import type { ChatModel } from '../../models/chatModel';
import type { ModelInfo } from '../../models/modelInfo';
import { ModelError, type ModelListing, type ModelProvider } from '../../models/modelProvider';
import { languageModels } from '../common/editorFeatures';
import { EditorChatModel, editorModelGone } from './editorChatModel';

/** Vendors that VS Code itself has shipped. Their extensions may be built in and contribute models only once they
 *  start. */
const builtInVendors = [
  'copilot',
  'copilotcli',
  'anthropic',
  'xai',
  'gemini',
  'openrouter',
  'openai',
  'customendpoint',
  'azure',
  'ollama',
];

const contribution = v.object({ vendor: v.string() });
const manifest = v.object({
  contributes: v.object({ languageModelChatProviders: v.union([v.array(contribution), contribution]) }),
});

/** Every vendor to query: `selectChatModels` without a vendor can stay pending forever when the user is not signed
 *  in. `manifests`: those of all installed extensions, unvalidated. */
export function editorModelVendors(manifests: readonly unknown[]): readonly string[] {
  const contributed = manifests.flatMap((candidate) => {
    const parsed = v.safeParse(manifest, candidate);
    if (!parsed.success) return [];
    const providers = parsed.output.contributes.languageModelChatProviders;
    return (Array.isArray(providers) ? providers : [providers]).map(({ vendor }) => vendor);
  });
  return [...new Set([...contributed, ...builtInVendors])];
}

/** Milliseconds to wait for one vendor's models. Some never respond while the user is not signed in. */
const vendorTimeoutMs = 900;
/** Milliseconds to wait for a chosen model. Longer, because its extension may have to start first. */
const openTimeoutMs = 10_000;

export const editorProviderName = 'Editor';

/** Models that the editor itself offers through `vscode.lm`: Copilot, other extensions, keys entered in the editor. */
export class EditorModels implements ModelProvider {
  readonly name = editorProviderName;
  readonly kind = 'editor';
  readonly destination = 'Editor';
  /** Last reported models by vendor. */
  private readonly lastListed = new Map<string, readonly vscode.LanguageModelChat[]>();

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async listModels(signal: AbortSignal): Promise<ModelListing> {
    const vendors = editorModelVendors(vscode.extensions.all.map((extension): unknown => extension.packageJSON));
    const lists = await Promise.all(vendors.map((vendor) => this.modelsOf(vendor, signal)));
    return { kind: 'models', models: lists.flat().map(infoOf) };
  }

  /** For a vendor that does not respond in time, uses its last reported models: they are not gone because the editor
   *  is busy. */
  private async modelsOf(vendor: string, signal: AbortSignal): Promise<readonly vscode.LanguageModelChat[]> {
    const models = (await this.select({ vendor }, vendorTimeoutMs, signal)) ?? this.lastListed.get(vendor) ?? [];
    this.lastListed.set(vendor, models);
    return models;
  }

  async open(modelId: string, signal: AbortSignal): Promise<ChatModel> {
    const slash = modelId.indexOf('/');
    const selector = { vendor: modelId.slice(0, slash), id: modelId.slice(slash + 1) };
    const [model] = slash < 1 ? [] : ((await this.select(selector, openTimeoutMs, signal)) ?? []);
    if (model === undefined) throw new ModelError(editorModelGone(modelId));
    const justification = t(
      'You chose {model} for Hermes. Your prompts and the files it reads are sent to this model.',
      { model: model.name },
    );
    return new EditorChatModel(infoOf(model), model, justification, this.clock);
  }

  /** Models that the editor offers. Null: it did not respond in time. */
  private async select(
    selector: vscode.LanguageModelChatSelector,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<readonly vscode.LanguageModelChat[] | null> {
    const offered = languageModels();
    if (offered === undefined) return [];
    return new Promise((resolve) => {
      const cancelTimer = this.clock.after(timeoutMs, giveUp);
      signal.addEventListener('abort', giveUp, { once: true });
      if (signal.aborted) return giveUp();
      offered.selectChatModels(selector).then(finish, (error: unknown) => {
        this.log.warn(
          `The editor could not list the models of ${selector.vendor ?? 'any vendor'}: ${errorMessage(error)}`,
        );
        finish([]);
      });
      function giveUp(): void {
        finish(null);
      }
      function finish(models: readonly vscode.LanguageModelChat[] | null): void {
        cancelTimer();
        signal.removeEventListener('abort', giveUp);
        resolve(models);
      }
    });
  }
}

function infoOf(model: vscode.LanguageModelChat): ModelInfo {
  return {
    ref: `${editorProviderName}/${model.vendor}/${model.id}`,
    provider: editorProviderName,
    id: `${model.vendor}/${model.id}`,
    label: model.name === '' ? model.id : model.name,
    destination: t('Editor ({vendor})', { vendor: vendorLabel(model.vendor) }),
    contextWindow: model.maxInputTokens > 0 ? model.maxInputTokens : null,
    allocatedContext: null,
    tools: null,
    images: null,
    efforts: ['default'],
    price: null,
    warnings: [t('VS Code’s models may lose the last words of an answer if the provider fails.')],
  };
}

function vendorLabel(vendor: string): string {
  return vendor.charAt(0).toUpperCase() + vendor.slice(1);
}
