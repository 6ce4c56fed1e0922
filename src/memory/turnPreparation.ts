import type { Clock } from '../base/clock';
import type { Log } from '../base/log';
import { withinTime } from '../base/pause';
import { masked } from './maskedCopies';
import type { RecallStatus } from './memoryProvider';
import type { ProviderQueue } from './providerQueue';
import { isTrivial, tidyRecall, withoutFences } from './recallText';

/** Recall that takes no longer than this is not worth a word, in milliseconds. */
const unnoticedMs = 300;

export interface RecallRequest {
  /** What the person wrote. */
  readonly prompt: string;
  /** The turn was stopped. */
  readonly signal: AbortSignal;
  /** The person does not want to wait. */
  readonly skip: AbortSignal;
  /** It takes long enough that the person should be told. */
  readonly onSlow: () => void;
}

/** What memory adds to a turn. */
export interface TurnMemory {
  /** For the system prompt; the same for the life of a session. Empty: nothing. */
  readonly systemBlock: string;
  /** For the prompt's wire copy. Empty: nothing. */
  readonly recall: string;
  /** What each provider says of what it found. */
  readonly found: readonly (RecallStatus & { readonly provider: string })[];
}

/** Gathers what providers have to say before a turn's first request, all at once and only for so long. A provider that does not come back is
 *  left out, and is not asked again before it has. */
export class TurnPreparation {
  private readonly stuck = new Set<ProviderQueue>();
  private blocks = new Map<ProviderQueue, string>();

  constructor(private readonly parts: { readonly clock: Clock; readonly log: Log; readonly timeoutMs: () => number }) {}

  /** Another session: its blocks are read anew. */
  forgetBlocks(): void {
    this.blocks = new Map();
  }

  /** The parts of the system prompt that were read so far for this session. */
  knownBlock(lanes: readonly ProviderQueue[]): string {
    return lanes.flatMap((lane) => this.blocks.get(lane) || []).join('\n\n');
  }

  async prepare(lanes: readonly ProviderQueue[], sessionId: string, request: RecallRequest): Promise<TurnMemory> {
    const over = new AbortController();
    const query = isTrivial(request.prompt) ? null : masked(request.prompt);
    const recalls = new Map<ProviderQueue, string>();
    const blocks = this.blocks;
    const asked = lanes.filter((lane) => !this.stuck.has(lane) && hasSay(lane, query !== null));
    const work = asked.map(async (lane) => {
      this.stuck.add(lane);
      await lane.ready();
      if (!over.signal.aborted) this.readBlock(lane, blocks);
      if (query !== null && !over.signal.aborted) {
        const text = await recallFrom(lane, query, sessionId, over.signal);
        if (!over.signal.aborted) recalls.set(lane, text);
      }
      this.stuck.delete(lane);
    });
    const stopTelling = this.parts.clock.after(unnoticedMs, request.onSlow);
    const timeoutMs = this.parts.timeoutMs();
    const isDone = await withinTime(this.parts.clock, timeoutMs, Promise.all(work), request.signal, request.skip);
    stopTelling();
    over.abort(new Error('The turn goes on without it.'));
    if (!isDone && !request.signal.aborted)
      this.tellOfWaiting(asked, request.skip.aborted ? 'was skipped' : `took longer than ${timeoutMs / 1000} s`);
    return this.gathered(lanes, recalls);
  }

  private gathered(lanes: readonly ProviderQueue[], recalls: ReadonlyMap<ProviderQueue, string>): TurnMemory {
    const withText = lanes.filter((lane) => (recalls.get(lane) ?? '') !== '');
    return {
      systemBlock: this.knownBlock(lanes),
      recall: withText.map((lane) => recalls.get(lane)).join('\n\n'),
      found: withText.flatMap((lane) => {
        const status = lane.ask('recallStatus', (provider) => provider.recallStatus?.() ?? null, null);
        return status === null ? [] : [{ provider: lane.name, label: status.label, count: status.count }];
      }),
    };
  }

  private readBlock(lane: ProviderQueue, blocks: Map<ProviderQueue, string>): void {
    if (blocks.has(lane)) return;
    // Providers of other extensions are not held by our types.
    blocks.set(
      lane,
      lane.ask(
        'systemPromptBlock',
        (provider) => withoutFences(String(provider.systemPromptBlock?.() ?? '')).trim(),
        '',
      ),
    );
  }

  private tellOfWaiting(asked: readonly ProviderQueue[], what: string): void {
    for (const lane of asked.filter((candidate) => this.stuck.has(candidate))) {
      this.parts.log.warn(`Memory provider ${lane.name}: recall ${what}; the turn went on without it.`);
    }
  }
}

/** Nobody waits for a provider that would have nothing to say. */
function hasSay({ provider }: ProviderQueue, isAsked: boolean): boolean {
  return provider.systemPromptBlock !== undefined || (isAsked && provider.prefetch !== undefined);
}

async function recallFrom(lane: ProviderQueue, query: string, sessionId: string, over: AbortSignal): Promise<string> {
  const text = await lane.guarded('prefetch', async (provider, signal) => {
    try {
      return await provider.prefetch?.(query, sessionId, AbortSignal.any([signal, over]));
    } catch (error) {
      // Asked to stop, it stopped.
      if (over.aborted) return '';
      throw error;
    }
  });
  return typeof text === 'string' ? tidyRecall(text) : '';
}
