import * as v from 'valibot';
import type { Clock } from '../../../src/base/clock';
import type { ChatModel, CompletedToolCall, Finish } from '../../../src/models/chatModel';
import { delegateTaskTool, delegateToolName } from '../../../src/tools/delegate/delegateTask';
import { type AnyTool, defineTool } from '../../../src/tools/tool';
import type { DeliveredKind } from '../../../src/transcript/part';
import type { Invariants } from './invariants';
import { OpenRequest, scriptedModel } from './scriptedModel';
import type { SimulatedHost } from './simulatedHost';
import type { CalledTool, CallIds, Step } from './step';

/** What fills a context: a word that alone is worth summarising. */
const longWord = 'x'.repeat(6000);
/** What its service counts for a history that nearly fills the simulated model's context. */
const nearlyFull = 9000;

/** The model's and the tools' side of a schedule: requests that wait for what the schedule has them answer. */
export class ModelSide {
  private words = 0;
  private calls = 0;

  constructor(
    private readonly clock: Clock,
    private readonly host: () => SimulatedHost,
    private readonly invariants: Invariants,
  ) {}

  model(run: number): ChatModel {
    return scriptedModel((request, signal) => {
      const isCurrent = run === this.host().run;
      const open = new OpenRequest(request, isCurrent ? this.invariants.asked(request) : '', run, signal);
      this.invariants.requests.push(open);
      return open;
    });
  }

  readonly tools: readonly AnyTool[] = [this.tool('look', true), this.tool('change', false), delegateTaskTool()];

  /** Requests of the living process, summaries among them. */
  open(): readonly OpenRequest[] {
    const { run, db } = this.host();
    return this.invariants.requests.filter(
      (request) =>
        request.isOpen &&
        request.run === run &&
        (request.isSummary || db.getTurn(request.turnUid)?.state === 'running'),
    );
  }

  requestIn(conversationId: string | undefined): OpenRequest | undefined {
    return this.open().find((request) => request.request.cacheKey === conversationId);
  }

  /** Requests of a process that no longer owns the store. */
  former(): readonly OpenRequest[] {
    return this.invariants.requests.filter((request) => request.isOpen && request.run !== this.host().run);
  }

  stream(
    request: OpenRequest | undefined,
    { of, words, long }: Pick<Step & { readonly kind: 'say' }, 'of' | 'words' | 'long'>,
  ): void {
    for (let word = 0; word < words; word++)
      request?.deliver(of, `${this.word()}${long === true && word === 0 ? longWord : ''} `);
  }

  call(request: OpenRequest | undefined, tools: readonly CalledTool[], ids: CallIds): void {
    if (request === undefined) return;
    if (request.request.toolChoice === 'none') return this.answer(request);
    const first = this.calls + 1;
    request.finish(
      'toolCalls',
      tools.map(({ ms, readOnly, asks = false, delegates = false }, index): CompletedToolCall => {
        const marker = `call-${++this.calls}`;
        const callId = { own: marker, same: `call-${first}`, counted: `call_${index}` }[ids];
        if (delegates)
          return {
            callId,
            name: delegateToolName,
            arguments: JSON.stringify({ task: `task of ${marker}`, read_only: readOnly }),
          };
        return { callId, name: readOnly ? 'look' : 'change', arguments: JSON.stringify({ marker, ms, asks }) };
      }),
    );
  }

  finish(request: OpenRequest | undefined, why: Finish['unified'], isNearlyFull: boolean): void {
    request?.finish(why, [], isNearlyFull ? nearlyFull : null);
  }

  answer(request: OpenRequest, kind: DeliveredKind = 'text'): void {
    request.deliver(kind, `${this.word()} `);
    request.finish('stop');
  }

  summarise(how: (Step & { readonly kind: 'summary' })['how']): void {
    const request = this.open().find(({ isSummary }) => isSummary);
    if (how === 'written') request?.deliver('text', `## Goal\nsummary ${this.word()}`);
    if (how === 'written' || how === 'empty') request?.finish('stop');
    else request?.break(how);
  }

  private word(): string {
    return `w${++this.words}`;
  }

  private tool(name: string, readOnly: boolean): AnyTool {
    const schema = v.object({ marker: v.string(), ms: v.number(), asks: v.boolean() });
    return defineTool({
      name,
      readOnly,
      schema,
      description: name,
      asks: ({ marker, asks }) => Promise.resolve(asks ? { access: { kind: 'editorTool', name: marker } } : null),
      run: ({ marker, ms, asks }, signal) => {
        this.invariants.runs(marker, asks);
        return new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          this.clock.after(ms, () => resolve({ outcome: 'done', text: `result of ${marker}` }));
        });
      },
    });
  }
}
