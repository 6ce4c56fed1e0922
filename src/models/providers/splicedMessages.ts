import { isObject } from './prompt';

/** A `fetch` for the messages protocol that joins an answer in which a second message begins before the first has
 *  ended (routers that retry after a failure splice them so). The SDK drops everything from there on or, if both
 *  have one id, takes blocks of the second for those of the first. This closes open blocks first, so thinking keeps
 *  its own signature, and drops the second start. */
export function joinedMessages(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok || response.body === null) return response;
    return new Response(joined(response.body), { status: response.status, headers: response.headers });
  };
}

/** Joins messages without its own queue: a web stream loses its queue when its source breaks. */
function joined(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const joiner = new MessageJoiner();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (let text = ''; text === '';) {
          const { done, value } = await reader.read();
          text = done ? joiner.end(decoder.decode()) : joiner.take(decoder.decode(value, { stream: true }));
          if (text !== '') controller.enqueue(encoder.encode(text));
          if (done) return controller.close();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

const eventEnd = /\r\n\r\n|\n\n|\r\r/;

/** Parses events as they arrive, only complete ones. */
class MessageJoiner {
  private held = '';
  private isOpen = false;
  private readonly blocks = new Set<number>();

  take(text: string): string {
    this.held += text;
    let passed = '';
    for (let end = eventEnd.exec(this.held); end !== null; end = eventEnd.exec(this.held)) {
      const event = this.held.slice(0, end.index + end[0].length);
      this.held = this.held.slice(event.length);
      passed += this.judge(event);
    }
    return passed;
  }

  end(text: string): string {
    return this.take(text) + this.judge(this.held);
  }

  private judge(event: string): string {
    // Fast path for deltas, nearly all events: they never mark the start or end of a message or a block.
    if (!/message_st|content_block_st/.test(event)) return event;
    const data = dataOf(event);
    const index = data?.['index'];
    switch (data?.['type']) {
      case 'message_start': {
        if (!this.isOpen) {
          this.isOpen = true;
          return event;
        }
        const closed = [...this.blocks].map(
          (block) =>
            `event: content_block_stop\ndata: ${JSON.stringify({ type: 'content_block_stop', index: block })}\n\n`,
        );
        this.blocks.clear();
        return closed.join('');
      }
      case 'message_stop':
        this.isOpen = false;
        this.blocks.clear();
        return event;
      case 'content_block_start':
        if (typeof index === 'number') this.blocks.add(index);
        return event;
      case 'content_block_stop':
        if (typeof index === 'number') this.blocks.delete(index);
        return event;
      default:
        return event;
    }
  }
}

function dataOf(event: string): Record<string, unknown> | null {
  const lines = event.split(/\r\n|\n|\r/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []));
  try {
    const parsed: unknown = JSON.parse(lines.join('\n'));
    return isObject(parsed) ? parsed : null;
  } catch {
    // Not JSON: the SDK reports the error.
    return null;
  }
}
