import type { JsonObject } from '../../../src/transcript/json';

/** How a reply's answer ends, in the words of both protocols. */
export type FinishWord = 'stop' | 'length' | 'toolCalls' | 'contentFilter';

export interface ReplyUsage {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
  /** What else the service says of it (OpenRouter: cost). */
  readonly extra?: JsonObject;
}

/** One thing the server does while it answers. Text-like steps become one SSE event each. */
export type Step =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | {
      readonly kind: 'toolCall';
      readonly id: string;
      readonly name: string;
      readonly pieces: readonly string[];
      readonly unfinished: boolean;
    }
  | { readonly kind: 'refusalText'; readonly text: string }
  /** A payload of the protocol, sent as it is: recorded streams, provider specialities. */
  | { readonly kind: 'payload'; readonly payload: JsonObject }
  | { readonly kind: 'pause'; readonly ms: number }
  | { readonly kind: 'wait'; readonly until: Promise<unknown> }
  | { readonly kind: 'comment'; readonly text: string }
  | { readonly kind: 'malformed'; readonly data: string }
  | { readonly kind: 'streamError'; readonly message: string; readonly code: string }
  | {
      readonly kind: 'finish';
      readonly reason: FinishWord;
      readonly usage: ReplyUsage | null;
      readonly raw: string | null;
    };

/** What happens to the connection after the last step. */
export type Ending = 'close' | 'drop' | 'hang';

/** The whole answer to one request: either a stream of steps or a plain HTTP response. */
export type Scenario =
  | {
      readonly kind: 'stream';
      readonly steps: readonly Step[];
      readonly ending: Ending;
      readonly firstByteAfterMs: number;
      readonly headersAfter: Promise<unknown> | null;
      readonly headers: Readonly<Record<string, string>>;
      readonly byteByByte: boolean;
      readonly oneBurst: boolean;
      readonly cutAtByte: number | null;
      readonly issuesSignatures: boolean;
    }
  | {
      readonly kind: 'http';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string | null;
      readonly message: string;
      readonly code: string | null;
    }
  | { readonly kind: 'dropBeforeHeaders' };

type Streamed = Extract<Scenario, { readonly kind: 'stream' }>;

export interface Pacing {
  /** words: split behind each space (default) · whole: one event · a number: that many characters per event. */
  readonly in?: 'words' | 'whole' | number;
  /** Pause before each event, in milliseconds. */
  readonly every?: number;
}

function pieces(text: string, how: Pacing['in']): readonly string[] {
  if (how === 'whole') return [text];
  if (typeof how === 'number') {
    const characters = Array.from(text);
    return Array.from({ length: Math.ceil(characters.length / how) }, (_, index) =>
      characters.slice(index * how, (index + 1) * how).join(''),
    );
  }
  return text.match(/\s*\S+(?:\s+$)?/g) ?? [text];
}

let nextCall = 0;

/** A scripted answer, written as a sentence: `reply().thinks('Let me see.').says('Hello world.')`. Without an explicit end it finishes
 *  properly: "tool calls" when it asked for tools, "stop" otherwise. Every method returns a new reply. */
export class Reply {
  private constructor(
    private readonly steps: readonly Step[],
    private readonly options: Omit<Streamed, 'kind' | 'steps'> & {
      readonly finishes: boolean;
      readonly usage: ReplyUsage | null;
    },
  ) {}

  static empty(): Reply {
    return new Reply([], {
      ending: 'close',
      finishes: true,
      usage: { input: 10, output: 5 },
      firstByteAfterMs: 0,
      headersAfter: null,
      headers: {},
      byteByByte: false,
      oneBurst: false,
      cutAtByte: null,
      issuesSignatures: true,
    });
  }

  private then(...steps: readonly Step[]): Reply {
    return new Reply([...this.steps, ...steps], this.options);
  }

  private with(change: Partial<Reply['options']>): Reply {
    return new Reply(this.steps, { ...this.options, ...change });
  }

  /** Streams answer text. */
  says(text: string, pacing: Pacing = {}): Reply {
    return this.streams('text', text, pacing);
  }

  /** Streams thinking (`reasoning_content`, a thinking block). */
  thinks(text: string, pacing: Pacing = {}): Reply {
    return this.streams('thinking', text, pacing);
  }

  private streams(kind: 'text' | 'thinking', text: string, { in: how, every }: Pacing): Reply {
    const steps = pieces(text, how).map((piece): Step => ({ kind, text: piece }));
    return this.then(
      ...(every === undefined ? steps : steps.flatMap((step): Step[] => [{ kind: 'pause', ms: every }, step])),
    );
  }

  /** Asks for a tool. `args` may be text, to send JSON that does not parse. */
  calls(
    name: string,
    args: JsonObject | string = {},
    options: { readonly id?: string; readonly in?: number } = {},
  ): Reply {
    const json = typeof args === 'string' ? args : JSON.stringify(args);
    const size = options.in ?? Math.max(1, Math.ceil(json.length / 3));
    return this.then({
      kind: 'toolCall',
      id: options.id ?? `call_${++nextCall}`,
      name,
      pieces: json === '' ? [] : pieces(json, size),
      unfinished: false,
    });
  }

  /** Begins a tool call whose JSON never ends. Follow it with `drops()` or `endsWithoutFinish()`. */
  beginsCall(name: string, partialJson: string, options: { readonly id?: string } = {}): Reply {
    return this.then({
      kind: 'toolCall',
      id: options.id ?? `call_${++nextCall}`,
      name,
      pieces: pieces(partialJson, 8),
      unfinished: true,
    });
  }

  /** Streams a refusal: OpenAI's `refusal` delta; plain text elsewhere. */
  refusesWith(text: string): Reply {
    return this.then({ kind: 'refusalText', text });
  }

  sends(...payloads: readonly JsonObject[]): Reply {
    return this.then(...payloads.map((payload): Step => ({ kind: 'payload', payload })));
  }

  pauses(ms: number): Reply {
    return this.then({ kind: 'pause', ms });
  }

  /** Sends nothing more until the promise settles: the test decides when. */
  waitsFor(until: Promise<unknown>): Reply {
    return this.then({ kind: 'wait', until });
  }

  /** An SSE comment, as keep-alive. */
  comments(text: string): Reply {
    return this.then({ kind: 'comment', text });
  }

  sendsMalformedFrame(data = '{"choices":[{"delta":{"content":'): Reply {
    return this.then({ kind: 'malformed', data });
  }

  /** An error object inside a stream that began with 200; the stream ends there. */
  breaksWith(message: string, code = 'overloaded_error'): Reply {
    return this.then({ kind: 'streamError', message, code }).with({ finishes: false });
  }

  /** `raw` replaces the provider's own word for the reason. */
  finishes(reason: FinishWord, raw: string | null = null): Reply {
    return this.then({ kind: 'finish', reason, usage: this.options.usage, raw }).with({ finishes: false });
  }

  uses(usage: ReplyUsage | null): Reply {
    return this.with({ usage });
  }

  /** The connection ends in order, but no finish reason was ever sent. */
  endsWithoutFinish(): Reply {
    return this.with({ finishes: false, ending: 'close' });
  }

  /** The connection is closed (FIN) in the middle of the chunked body. */
  drops(): Reply {
    return this.with({ finishes: false, ending: 'drop' });
  }

  /** Nothing more comes, and the connection stays open. */
  hangs(): Reply {
    return this.with({ finishes: false, ending: 'hang' });
  }

  /** The first byte of the response, headers included, comes this late: a cold load. */
  startsAfter(wait: number | Promise<unknown>): Reply {
    return typeof wait === 'number' ? this.with({ firstByteAfterMs: wait }) : this.with({ headersAfter: wait });
  }

  /** Every byte is written on its own, also inside multi-byte characters. */
  byteByByte(): Reply {
    return this.with({ byteByByte: true });
  }

  /** All events up to the end or the next pause leave in one write. */
  inOneBurst(): Reply {
    return this.with({ oneBurst: true });
  }

  /** The connection drops after exactly this many bytes of the body. */
  cutsAtByte(byte: number): Reply {
    return this.with({ cutAtByte: byte, ending: 'drop' });
  }

  /** Anthropic only: thinking blocks come without a signature, as compatible servers do. */
  withoutSignatures(): Reply {
    return this.with({ issuesSignatures: false });
  }

  scenario(): Scenario {
    const { finishes, usage, ...rest } = this.options;
    const asked = this.steps.some((step) => step.kind === 'toolCall');
    const finish: readonly Step[] = finishes
      ? [{ kind: 'finish', reason: asked ? 'toolCalls' : 'stop', usage, raw: null }]
      : [];
    return { kind: 'stream', steps: [...this.steps, ...finish], ...rest };
  }
}

/** Begins a scripted answer. */
export function reply(): Reply {
  return Reply.empty();
}

/** What a test may put in the script. */
export type Scripted = Reply | Scenario;

/** A plain HTTP error in the protocol's own error JSON: `refuses(429, { retryAfter: 1 })`. */
export function refuses(
  status: number,
  options: {
    readonly message?: string;
    readonly code?: string;
    readonly retryAfter?: number | string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  } = {},
): Scenario {
  return {
    kind: 'http',
    status,
    headers: {
      ...(options.retryAfter === undefined ? {} : { 'retry-after': String(options.retryAfter) }),
      ...options.headers,
    },
    body: options.body ?? null,
    message: options.message ?? `Scripted ${status}`,
    code: options.code ?? null,
  };
}

const succeeds = (type: string, body: string): Scenario => ({
  kind: 'http',
  status: 200,
  headers: { 'content-type': type },
  body,
  message: '',
  code: null,
});

/** A web page with status 200: what a base URL without /v1 often reaches. */
export const answersHtml = (
  html = '<!doctype html><html><head><title>Welcome</title></head><body>Open WebUI</body></html>',
): Scenario => succeeds('text/html; charset=utf-8', html);

/** Status 200 and not one byte of body. */
export const answersNothing = (): Scenario => succeeds('text/event-stream', '');

/** A JSON body with status 200 where a stream was asked for. */
export const answersJson = (body: JsonObject): Scenario => succeeds('application/json', JSON.stringify(body));

/** The connection closes before any response. */
export function dropsBeforeAnswering(): Scenario {
  return { kind: 'dropBeforeHeaders' };
}

export function asScenario(scripted: Scripted): Scenario {
  return scripted instanceof Reply ? scripted.scenario() : scripted;
}
