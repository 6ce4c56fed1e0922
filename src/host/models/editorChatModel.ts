import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import type { ChatModel, CompletedToolCall, ModelRequest, ModelStream } from '../../models/chatModel';
import type { ModelInfo } from '../../models/modelInfo';
import { EventPump } from '../../models/http/pump';
import { editorContract, keepContract } from '../../models/http/wireContract';
import { editorModelFailure } from './editorModelFailures';
import { editorMessages, editorTools } from './editorModelMessages';
import { readEditorPart } from './editorModelParts';

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
