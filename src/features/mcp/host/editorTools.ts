import * as v from 'valibot';
import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errorMessage';
import { isJsonObject, parseJsonObject } from '../../../transcript/json';
import type { ImagePart } from '../../../transcript/part';
import type { AnyTool, ToolOutput } from '../../../tools/tool';
import { languageModels } from '../../../host/common/editorFeatures';
import { foreignTool } from '../core/mcpTool';
import { capped } from '../core/resultOutput';
import { keptChoice, type ChoiceMemory, type KeptChoice } from '../../../host/settings/keptChoice';

/** An extension that offers tools to agents. */
interface ToolExtension {
  readonly id: string;
  readonly label: string;
  /** Names of its tools in `vscode.lm`. */
  readonly tools: ReadonlySet<string>;
}

/** Installed extensions that offer tools, sorted by name. Without those that come with the editor, and Copilot: their
 *  tools, like the editor's own, which no extension declares, serve the editor's chat. */
export function toolExtensions(): readonly ToolExtension[] {
  return vscode.extensions.all
    .flatMap(({ id, packageJSON }): readonly ToolExtension[] => {
      const about: unknown = packageJSON;
      if (!isJsonObject(about) || about['isBuiltin'] === true || /^(?:vscode|github\.copilot)/i.test(id)) return [];
      const offered = isJsonObject(about['contributes']) ? about['contributes']['languageModelTools'] : null;
      const tools = new Set(
        (Array.isArray(offered) ? offered : []).flatMap((tool: unknown) =>
          isJsonObject(tool) && typeof tool['name'] === 'string' ? [tool['name']] : [],
        ),
      );
      const label = typeof about['displayName'] === 'string' ? about['displayName'] : id;
      return tools.size === 0 ? [] : [{ id, label, tools }];
    })
    .sort((a, b) => a.label.localeCompare(b.label));
}

/** Tools of the extensions that the user switched on, one by one. */
export class EditorTools {
  /** Ids of extensions in lower case. */
  private readonly switchedOn: KeptChoice<readonly string[]>;

  constructor(memory: ChoiceMemory) {
    const ids = v.array(v.pipe(v.string(), v.toLowerCase()));
    this.switchedOn = keptChoice<readonly string[]>(memory, 'editorTools', ids, []);
  }

  isOn({ id }: ToolExtension): boolean {
    return this.switchedOn.current.includes(id.toLowerCase());
  }

  /** Gives the tools of this extension to the agent from the next request on, or takes them away. */
  async toggle({ id }: ToolExtension): Promise<void> {
    const [lower, before] = [id.toLowerCase(), this.switchedOn.current];
    await this.switchedOn.set(before.includes(lower) ? before.filter((one) => one !== lower) : [...before, lower]);
  }

  /** Current tools. Read at each call, because the editor does not notify of changes. Empty in Restricted Mode. */
  offered(): readonly AnyTool[] {
    return vscode.workspace.isTrusted ? toolsOf(toolExtensions().filter((extension) => this.isOn(extension))) : [];
  }
}

function toolsOf(wanted: readonly ToolExtension[]): readonly AnyTool[] {
  const taken = new Set<string>();
  // Some editors made from VS Code have models and no tools.
  const offered: readonly vscode.LanguageModelToolInformation[] | undefined = languageModels()?.tools;
  return [...(offered ?? [])]
    .filter((tool) => wanted.some(({ tools }) => tools.has(tool.name)))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((tool) => {
      const name = plainToolName(tool.name);
      const parameters = parametersOf(tool.inputSchema);
      if (parameters === null || taken.has(name)) return [];
      taken.add(name);
      return [toolOf(name, tool, parameters)];
    });
}

function toolOf(name: string, tool: vscode.LanguageModelToolInformation, parameters: AnyTool['parameters']): AnyTool {
  const description = `${tool.description}\n\n(Tool of another extension of the editor.)`;
  return foreignTool({ name, description, parameters }, { kind: 'editorTool', name: tool.name }, (args, signal) =>
    invoke(tool.name, args, signal),
  );
}

async function invoke(name: string, input: object, signal: AbortSignal): Promise<ToolOutput> {
  const cancelling = new vscode.CancellationTokenSource();
  const aborted = new Promise<never>((_resolve, reject) => {
    const cancel = (): void => (cancelling.cancel(), reject(signal.reason));
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });
  try {
    // A tool that ignores its cancellation token must not block the turn.
    return outputOf(
      await Promise.race([
        vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }, cancelling.token),
        aborted,
      ]),
    );
  } catch (error) {
    signal.throwIfAborted();
    return {
      outcome: 'failed',
      text: `The tool ${name} of another extension failed: ${errorMessage(error)}`,
    };
  } finally {
    cancelling.dispose();
  }
}

function outputOf({ content }: vscode.LanguageModelToolResult): ToolOutput {
  const images: ImagePart[] = [];
  const texts = content.map((part) => {
    if (part instanceof vscode.LanguageModelTextPart) return part.value;
    if (part instanceof vscode.LanguageModelPromptTsxPart) return textsIn(part.value).join('');
    if (!(part instanceof vscode.LanguageModelDataPart)) return '';
    if (/^image\/(?:png|jpeg|gif|webp)$/.test(part.mimeType))
      images.push({ kind: 'image', mediaType: part.mimeType, dataBase64: Buffer.from(part.data).toString('base64') });
    return /^text\/|[/+]json\b/.test(part.mimeType)
      ? new TextDecoder().decode(part.data)
      : `[${part.mimeType}, ${part.data.byteLength} bytes]`;
  });
  const text = capped(texts.filter((each) => each !== '').join('\n'));
  return {
    outcome: 'done',
    text: text === '' ? 'The tool returned nothing.' : text,
    ...(images.length === 0 ? {} : { images }),
  };
}

function parametersOf(schema: object | undefined): AnyTool['parameters'] | null {
  const parsed = parseJsonObject(JSON.stringify(schema ?? {}));
  if (parsed.kind === 'invalid' || (parsed.value.type !== undefined && parsed.value.type !== 'object')) return null;
  return { ...parsed.value, type: 'object', properties: parsed.value.properties ?? {} };
}

/** Name under which models know the tool, in characters that every provider accepts. */
function plainToolName(name: string): string {
  return `ext_${name.replace(/[^A-Za-z0-9_-]+/g, '_')}`.slice(0, 64);
}

/** Texts of a prompt-tsx tree, in order. The library defines its shape; texts are in `text`. */
function textsIn(tree: unknown): readonly string[] {
  if (Array.isArray(tree)) return tree.flatMap(textsIn);
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) =>
    key === 'text' && typeof value === 'string' ? [value] : key === 'props' ? [] : textsIn(value),
  );
}
