import type { Clock } from '../base/clock';
import type { Log } from '../base/log';
import { withinTime } from '../base/pause';
import { masked } from './maskedCopies';
import type { RecallStatus } from './memoryProvider';
import type { ProviderQueue } from './providerQueue';
import { isTrivial, tidyRecall, withoutFences } from './recallText';

/** Milliseconds. Faster recall is not reported to the user. */
const unnoticedMs = 300;

export interface TurnRecallRequest {
  /** The user's own text. */
  readonly prompt: string;
  /** Aborted when the turn is stopped. */
  readonly signal: AbortSignal;
  /** Aborted when the user does not want to wait. */
  readonly skip: AbortSignal;
  /** Called when recall is slow enough to tell the user. */
  readonly onSlow: () => void;
}

/** Memory's additions to a turn. */
export interface TurnMemory {
  /** For the system prompt, the same for the life of a session. Empty: none. */
  readonly systemBlock: string;
  /** For the prompt's wire copy. Empty: none. */
  readonly recall: string;
  /** Each provider's status of its recall. */
  readonly found: readonly (RecallStatus & { readonly provider: string })[];
}

/** Collects the providers' texts before a turn's first request, all in parallel and with a time limit. A provider
 *  that does not return is left out, and is not called again before it has returned. */
export class TurnPreparation {
  private readonly stuck = new Set<ProviderQueue>();
  private blocks = new Map<ProviderQueue, string>();

  constructor(private readonly parts: { readonly clock: Clock; readonly log: Log; readonly timeoutMs: () => number }) {}

  /** Called for another session: its blocks must be read again. */
  forgetBlocks(): void {
    this.blocks = new Map();
  }

  /** Returns the parts of the system prompt that were read so far for this session. */
  knownBlock(queues: readonly ProviderQueue[]): string {
    return queues.flatMap((queue) => this.blocks.get(queue) || []).join('\n\n');
  }

  async prepare(queues: readonly ProviderQueue[], sessionId: string, request: TurnRecallRequest): Promise<TurnMemory> {
    const over = new AbortController();
    const query = isTrivial(request.prompt) ? null : masked(request.prompt);
    const recalls = new Map<ProviderQueue, string>();
    const blocks = this.blocks;
    const asked = queues.filter((queue) => !this.stuck.has(queue) && isAsked(queue, query !== null));
    const work = asked.map(async (queue) => {
      this.stuck.add(queue);
      await queue.ready();
      if (!over.signal.aborted) this.readBlock(queue, blocks);
      if (query !== null && !over.signal.aborted) {
        const text = await recallFrom(queue, query, sessionId, over.signal);
        if (!over.signal.aborted) recalls.set(queue, text);
      }
      this.stuck.delete(queue);
    });
    const stopTelling = this.parts.clock.after(unnoticedMs, request.onSlow);
    const timeoutMs = this.parts.timeoutMs();
    const isDone = await withinTime(this.parts.clock, timeoutMs, Promise.all(work), request.signal, request.skip);
    stopTelling();
    over.abort(new Error('The turn goes on without it.'));
    if (!isDone && !request.signal.aborted)
      this.logWaiting(asked, request.skip.aborted ? 'was skipped' : `took longer than ${timeoutMs / 1000} s`);
    return this.gathered(queues, recalls);
  }

  private gathered(queues: readonly ProviderQueue[], recalls: ReadonlyMap<ProviderQueue, string>): TurnMemory {
    const withText = queues.filter((queue) => (recalls.get(queue) ?? '') !== '');
    return {
      systemBlock: this.knownBlock(queues),
      recall: withText.map((queue) => recalls.get(queue)).join('\n\n'),
      found: withText.flatMap((queue) => {
        const status = queue.ask('recallStatus', (provider) => provider.recallStatus?.() ?? null, null);
        return status === null ? [] : [{ provider: queue.name, label: status.label, count: status.count }];
      }),
    };
  }

  private readBlock(queue: ProviderQueue, blocks: Map<ProviderQueue, string>): void {
    if (blocks.has(queue)) return;
    // Converted to a string, because providers of other extensions may not follow our types.
    blocks.set(
      queue,
      queue.ask(
        'systemPromptBlock',
        (provider) => withoutFences(String(provider.systemPromptBlock?.() ?? '')).trim(),
        '',
      ),
    );
  }

  private logWaiting(asked: readonly ProviderQueue[], what: string): void {
    for (const queue of asked.filter((candidate) => this.stuck.has(candidate))) {
      this.parts.log.warn(`Memory provider ${queue.name}: recall ${what}; the turn went on without it.`);
    }
  }
}

/** False for a provider that has nothing to contribute, so that the turn does not wait for it. */
function isAsked({ provider }: ProviderQueue, isAsked: boolean): boolean {
  return provider.systemPromptBlock !== undefined || (isAsked && provider.prefetch !== undefined);
}

async function recallFrom(queue: ProviderQueue, query: string, sessionId: string, over: AbortSignal): Promise<string> {
  const text = await queue.guarded('prefetch', async (provider, signal) => {
    try {
      return await provider.prefetch?.(query, sessionId, AbortSignal.any([signal, over]));
    } catch (error) {
      // It was asked to stop, and did.
      if (over.aborted) return '';
      throw error;
    }
  });
  return typeof text === 'string' ? tidyRecall(text) : '';
}
