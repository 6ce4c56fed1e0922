import type {
  CompletedTurn,
  Delegation,
  MemoryProvider,
  MemoryWrite,
  SessionStart,
  SessionSwitch,
  StartingTurn,
} from '../../src/memory/memoryProvider';
import type { AnyTool } from '../../src/tools/tool';
import { answerText, type Message } from '../../src/transcript/message';

/** What a recording provider answers where it is asked, and what it is called. */
export interface RecordingManners {
  readonly name?: string;
  /** Stands before each line, where several providers write into one log. */
  readonly prefix?: string;
  readonly recall?: (query: string) => string | Promise<string>;
  readonly block?: () => string;
  readonly tools?: readonly AnyTool[];
  readonly beforeCompressing?: string;
  readonly cannotForget?: string;
  /** Also writes down which session was left by a switch. */
  readonly previous?: boolean;
  /** Also writes down that turns begin. */
  readonly starts?: boolean;
  /** Waited for in every call that comes from the queue. */
  readonly pause?: (hook: string) => Promise<void>;
}

/** A memory provider that writes down what it hears, one line each. `log` may be shared by the instances of several agents. */
export class RecordingMemory implements MemoryProvider {
  readonly name: string;

  constructor(
    private readonly log: string[],
    private readonly manners: RecordingManners = {},
  ) {
    this.name = manners.name ?? 'recording';
  }

  get tools(): readonly AnyTool[] {
    return this.manners.tools ?? [];
  }

  systemPromptBlock(): string {
    return this.manners.block?.() ?? '';
  }

  async initialize(sessionId: string, _signal?: AbortSignal, start?: SessionStart): Promise<void> {
    await this.write('initialize', `${sessionId}${parent(start?.parentSessionId ?? null)}`);
  }

  async onTurnStart({ sessionId, number, prompt }: StartingTurn): Promise<void> {
    if (this.manners.starts === true) await this.write('start', `${sessionId} ${number}: ${prompt}`);
  }

  async prefetch(query: string): Promise<string> {
    return (await this.manners.recall?.(query)) ?? '';
  }

  async syncTurn(turn: CompletedTurn): Promise<void> {
    await this.write('sync', `${turn.sessionId}: ${turn.prompt} -> ${turn.answer}`);
  }

  async onSessionEnd(sessionId: string): Promise<void> {
    await this.write('end', sessionId);
  }

  async onSessionSwitch(newSessionId: string, change: SessionSwitch): Promise<void> {
    const marks = `${change.reset ? ' reset' : ''}${change.rewound ? ' rewound' : ''}`;
    await this.write(
      'switch',
      `${newSessionId} ${change.reason}${marks}${this.manners.previous === true ? ` from ${change.previousSessionId}` : ''}${parent(change.parentSessionId)}`,
    );
  }

  async onPreCompress(messages: readonly Message[]): Promise<string> {
    if (this.manners.beforeCompressing === undefined) return '';
    await this.write('compressing', messages.map(({ parts }) => answerText(parts)).join(' | '));
    return this.manners.beforeCompressing;
  }

  async onMemoryWrite({ action, target, content, previous }: MemoryWrite): Promise<void> {
    await this.write('write', `${action} ${target}: ${previous === null ? '' : `${previous} -> `}${content}`);
  }

  async onDelegation({ sessionId, childSessionId, task, result }: Delegation): Promise<void> {
    await this.write('delegation', `${sessionId} to ${childSessionId}: ${task} -> ${result}`);
  }

  async onSessionForgotten(sessionIds: readonly string[]): Promise<string | null> {
    await this.write('forget', sessionIds.join(' '));
    return this.manners.cannotForget ?? null;
  }

  async shutdown(): Promise<void> {
    this.log.push(`${this.manners.prefix ?? ''}shutdown`);
  }

  private async write(hook: string, text: string): Promise<void> {
    await this.manners.pause?.(hook);
    this.log.push(`${this.manners.prefix ?? ''}${hook} ${text}`);
  }
}

function parent(parentSessionId: string | null): string {
  return parentSessionId === null ? '' : ` parent ${parentSessionId}`;
}

/** A provider that rejects, or throws, whatever it is asked. */
export function throwingMemory(name = 'throwing'): MemoryProvider {
  const fail = (): Promise<never> => Promise.reject(new TypeError('not a function'));
  const failAtOnce = (): never => {
    throw new TypeError('not a function');
  };
  return {
    name,
    initialize: fail,
    syncTurn: fail,
    systemPromptBlock: failAtOnce,
    prefetch: fail,
    queuePrefetch: failAtOnce,
    recallStatus: failAtOnce,
    onTurnStart: failAtOnce,
    onSessionEnd: fail,
    onSessionSwitch: fail,
    onPreCompress: fail,
    onMemoryWrite: fail,
    onDelegation: failAtOnce,
    onSessionForgotten: fail,
    shutdown: fail,
  };
}

/** A provider that never comes back, whatever it is told. */
export function hangingMemory(name = 'hanging'): MemoryProvider {
  const hang = (): Promise<never> => new Promise(() => undefined);
  return {
    name,
    initialize: hang,
    syncTurn: hang,
    prefetch: hang,
    queuePrefetch: hang,
    onTurnStart: hang,
    onSessionEnd: hang,
    onSessionSwitch: hang,
    onPreCompress: hang,
    onSessionForgotten: hang,
    shutdown: hang,
  };
}

/** A provider written before there was any hook but the first two. */
export function legacyMemory(log: string[], name = 'legacy'): MemoryProvider {
  return {
    name,
    initialize: async (sessionId) => void log.push(`${name} initialize ${sessionId}`),
    syncTurn: async ({ sessionId, prompt }) => void log.push(`${name} sync ${sessionId}: ${prompt}`),
  };
}
