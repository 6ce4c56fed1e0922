import * as v from 'valibot';
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import { errorMessage } from '../../base/errorMessage';
import { joinSentences } from '../../base/messageText';
import { t } from '../../base/translate';
import type {
  ChatModel,
  CompletedToolCall,
  ModelRequest,
  ModelStream,
  WireAssistantContent,
  WireMessage,
  WireTool,
  WireUserContent,
} from '../../models/chatModel';
import { EventPump } from '../../models/http/pump';
import { editorContract, keepContract } from '../../models/http/wireContract';
import type { ModelInfo } from '../../models/modelInfo';
import type { Failure, ModelFailureCause } from '../../transcript/stopReason';

type EditorPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'toolCall'; readonly callId: string; readonly name: string; readonly input: object }
  | { readonly kind: 'other' };

/** Shape by which thinking is recognized: a text or list of texts, with an id or metadata, and neither of the known
 *  classes. `LanguageModelThinkingPart` flows through `vscode.lm`, but its class is still a proposed API
 *  (microsoft/vscode#246993). */
const thinkingShape = v.object({
  value: v.union([v.string(), v.array(v.string())]),
  id: v.optional(v.unknown()),
  metadata: v.optional(v.unknown()),
});

/** Reads one part of a streamed answer of an editor model. Data parts (usage and other non-standard notes) become
 *  `other`. */
function readEditorPart(part: unknown): EditorPart {
  if (part instanceof vscode.LanguageModelTextPart) return { kind: 'text', text: part.value };
  if (part instanceof vscode.LanguageModelToolCallPart)
    return { kind: 'toolCall', callId: part.callId, name: part.name, input: part.input };
  if (part instanceof vscode.LanguageModelDataPart || typeof part !== 'object' || part === null)
    return { kind: 'other' };
  const thinking = v.safeParse(thinkingShape, part);
  if (!thinking.success || !('id' in part || 'metadata' in part)) return { kind: 'other' };
  const { value } = thinking.output;
  return { kind: 'thinking', text: typeof value === 'string' ? value : value.join('') };
}

const waitingNoticeMs = 1000;

/** A model that the editor offers (`vscode.lm`). The editor drops output that the provider reports less than about
 *  30 ms before it fails; we cannot recover it. Pumps received output eagerly, like every other model. */
export class EditorChatModel implements ChatModel {
  constructor(
    readonly info: ModelInfo,
    private readonly model: vscode.LanguageModelChat,
    private readonly justification: string,
    private readonly clock: Clock,
  ) {}

  stream(request: ModelRequest, signal: AbortSignal): ModelStream {
    const pump = new EventPump();
    void this.run(keepContract(request, editorContract).request, signal, pump);
    return pump.stream;
  }

  /** Ends with exactly one terminal event, whatever the provider does. An abort ends it at once, without waiting for
   *  the provider. */
  private async run(request: ModelRequest, signal: AbortSignal, pump: EventPump): Promise<void> {
    const cancellation = new vscode.CancellationTokenSource();
    const abort = (): void => {
      pump.end({ outcome: 'aborted', usage: null, requestId: null });
      cancellation.cancel();
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const stopNotices = this.announceWaiting(pump);
    const answer = new Answer(pump);
    try {
      // The first request to a provider with accounts opens the editor's consent dialog, so it must come from a prompt
      // that was just sent.
      const response = await this.model.sendRequest(
        editorMessages(request),
        {
          justification: this.justification,
          ...(request.tools.length > 0 && this.info.tools !== false ? { tools: editorTools(request.tools) } : {}),
        },
        cancellation.token,
      );
      for await (const part of response.stream) {
        stopNotices();
        answer.take(part);
      }
      answer.complete();
    } catch (error) {
      // Check our signal, never the error's class, for our own abort. An ended pump ignores late events.
      const failure = editorModelFailure(error, this.info.label, answer.begun);
      pump.end({ outcome: answer.begun ? 'interrupted' : 'failed', failure, usage: null, requestId: null });
    } finally {
      stopNotices();
      signal.removeEventListener('abort', abort);
      cancellation.dispose();
    }
  }

  private announceWaiting(pump: EventPump): () => void {
    const startedMs = this.clock.monotonicMs();
    let cancel: () => void = () => undefined;
    const again = (): void => {
      cancel = this.clock.after(waitingNoticeMs, () => {
        if (
          pump.append({ kind: 'notice', notice: { kind: 'waiting', elapsedMs: this.clock.monotonicMs() - startedMs } })
        )
          again();
      });
    };
    again();
    return () => cancel();
  }
}

/** Content of one answer so far. */
class Answer {
  private readonly calls: CompletedToolCall[] = [];
  private open: 'text' | 'thinking' | null = null;
  private text = false;
  private thinking = false;

  constructor(private readonly pump: EventPump) {}

  get begun(): boolean {
    return this.text || this.thinking || this.calls.length > 0;
  }

  take(raw: unknown): void {
    const part = readEditorPart(raw);
    if (part.kind === 'other') return;
    if (part.kind === 'toolCall') {
      this.endPart();
      const json = JSON.stringify(part.input);
      this.calls.push({ callId: part.callId, name: part.name, arguments: json });
      this.pump.append({ kind: 'toolCallProgress', callId: part.callId, name: part.name, characters: json.length });
      return;
    }
    if (part.text === '') return;
    if (this.open !== part.kind) this.endPart();
    this.open = part.kind;
    if (part.kind === 'text') this.text = true;
    else this.thinking = true;
    this.pump.append({ kind: part.kind, text: part.text });
  }

  complete(): void {
    this.endPart();
    const silent = !this.text && this.calls.length === 0;
    this.pump.end({
      outcome: 'complete',
      // The API does not report why an answer ended; only tool calls are visible.
      finish: { unified: this.calls.length > 0 ? 'toolCalls' : 'stop', raw: null },
      toolCalls: this.calls,
      empty: silent ? (this.thinking ? 'thinkingOnly' : 'empty') : 'no',
      usage: null,
      requestId: null,
    });
  }

  private endPart(): void {
    if (this.open !== null) this.pump.append({ kind: 'partEnd', of: this.open });
    this.open = null;
  }
}

/** Converts a request to the editor's own types. Sends the system text first, as a User message: the system role of
 *  `vscode.lm` is still a proposed API. */
function editorMessages(request: ModelRequest): vscode.LanguageModelChatMessage[] {
  const system = request.system === '' ? [] : [vscode.LanguageModelChatMessage.User(request.system)];
  return [...system, ...request.messages.map(editorMessage)];
}

function editorTools(tools: readonly WireTool[]): vscode.LanguageModelChatTool[] {
  return tools.map(({ name, description, parameters }) => ({ name, description, inputSchema: parameters }));
}

function editorMessage(message: WireMessage): vscode.LanguageModelChatMessage {
  switch (message.role) {
    case 'user':
      return vscode.LanguageModelChatMessage.User(message.content.map(userPart));
    case 'assistant':
      return vscode.LanguageModelChatMessage.Assistant(message.content.flatMap(assistantPart));
    case 'tool':
      return vscode.LanguageModelChatMessage.User(
        message.results.map(
          ({ callId, text, images = [] }) =>
            new vscode.LanguageModelToolResultPart(callId, [
              new vscode.LanguageModelTextPart(text),
              ...images.map(userPart),
            ]),
        ),
      );
  }
}

function userPart(content: WireUserContent): vscode.LanguageModelTextPart | vscode.LanguageModelDataPart {
  return content.kind === 'text'
    ? new vscode.LanguageModelTextPart(content.text)
    : vscode.LanguageModelDataPart.image(Buffer.from(content.dataBase64, 'base64'), content.mediaType);
}

/** Leaves out thinking: the stable API has no part for it, and providers accept none back without their own
 *  metadata. */
function assistantPart(
  content: WireAssistantContent,
): (vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart)[] {
  switch (content.kind) {
    case 'text':
      return [new vscode.LanguageModelTextPart(content.text)];
    case 'toolCall':
      return [new vscode.LanguageModelToolCallPart(content.callId, content.name, { ...content.arguments })];
    case 'thinking':
      return [];
  }
}

/** Describes an error of an editor model. `LanguageModelError` has three codes. Any other error comes raw from the
 *  model's provider, and there is no code for a rate limit. */
function editorModelFailure(error: unknown, label: string, delivered: boolean): Failure {
  const { cause, happened, next } = describe(error, label);
  const safe = delivered ? t('Everything shown is saved.') : t('Your prompt is saved.');
  return { cause, sentence: joinSentences([happened, safe, next]), technical: technical(error) };
}

/** Failure for a model that the editor no longer offers. */
export function editorModelGone(modelId: string): Failure {
  return {
    cause: 'notFound',
    sentence: t(
      'The editor does not offer the model {model} now. Your prompt is kept. Sign in to its provider or choose another model.',
      { model: modelId },
    ),
    technical: `selectChatModels returned nothing for ${modelId}`,
  };
}

function describe(
  error: unknown,
  label: string,
): { readonly cause: ModelFailureCause; readonly happened: string; readonly next: string } {
  const code = error instanceof vscode.LanguageModelError ? error.code : null;
  if (code === vscode.LanguageModelError.NoPermissions.name) {
    return {
      cause: 'consent',
      happened: t('The editor did not allow Hermes to use {model}.', { model: label }),
      next: t('Send again to get the question again, or allow it under Manage Language Model Access.'),
    };
  }
  if (code === vscode.LanguageModelError.Blocked.name) {
    return {
      cause: 'quota',
      happened: t('{model} is blocked. Its quota is used up, or the request was refused.', { model: label }),
      next: t('Try again later, or choose another model.'),
    };
  }
  if (code === vscode.LanguageModelError.NotFound.name) {
    return {
      cause: 'notFound',
      happened: t('The editor no longer offers {model}.', { model: label }),
      next: t('Choose another model.'),
    };
  }
  return { cause: 'unknown', happened: failed(error, label), next: t('Retry, or choose another model.') };
}

function failed(error: unknown, model: string): string {
  const reason = errorMessage(error).trim().replace(/\.+$/, '').slice(0, 300);
  return reason === ''
    ? t('{model} failed and gave no reason.', { model })
    : t('{model} failed: {reason}.', { model, reason });
}

function technical(error: unknown): string {
  if (error instanceof vscode.LanguageModelError) return `LanguageModelError ${error.code}: ${error.message}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
