import type { AssistantMessage, Message } from '../../transcript/message';
import type { DeliveredKind } from '../../transcript/part';
import type { TurnEvent } from '../../transcript/turnEvent';

export interface DeliveredPart {
  readonly kind: DeliveredKind;
  readonly text: string;
}

/** One answer as surfaces received it. */
export interface DeliveredMessage {
  readonly uid: string;
  /** The segment that stored the turn's rows when the answer began. */
  readonly sessionId: string;
  readonly parts: readonly DeliveredPart[];
  /** The whole row, with its calls, if surfaces received that too. */
  readonly row: AssistantMessage | null;
  /** Rows of the turn that surfaces received before it, in order. */
  readonly after: readonly string[];
}

/** Text that surfaces received and the store does not hold. */
interface MissingDelivery {
  readonly messageUid: string;
  readonly part: number;
  readonly kind: DeliveredKind;
  readonly shown: string;
  readonly stored: string | null;
}

/** Records every delivered text of one turn as surfaces received it, to compare it with the disk when the turn has
 *  settled. It knows nothing about how texts are stored, so it is an independent check. */
export class ShownLengths {
  private readonly shown = new Map<string, { readonly sessionId: string; readonly parts: DeliveredPart[] }>();
  private readonly rows = new Map<string, AssistantMessage>();
  /** Rows of the turn, in order of first appearance. */
  private readonly order = new Set<string>();

  constructor(private readonly turnUid: string) {}

  /** `sessionId`: the segment that stores the turn's rows now. */
  observe(event: TurnEvent, sessionId: string): void {
    if (event.kind === 'messageStored') this.see(event.message);
    if (event.kind !== 'delivered') return;
    for (const chunk of event.chunks) {
      const { parts } = this.shown.get(chunk.messageUid) ?? { parts: [] };
      parts[chunk.part] = {
        kind: chunk.kind,
        text: (parts[chunk.part]?.text ?? '').slice(0, chunk.start) + chunk.text,
      };
      if (!this.shown.has(chunk.messageUid)) this.shown.set(chunk.messageUid, { sessionId, parts });
      this.order.add(chunk.messageUid);
    }
  }

  get messages(): readonly DeliveredMessage[] {
    return [...this.shown].map(([uid, { sessionId, parts }]) => ({
      uid,
      sessionId,
      parts: Object.values(parts),
      row: this.rows.get(uid) ?? null,
      after: before(uid, [...this.order]),
    }));
  }

  /** Returns the delivered parts that are not at the beginning of the stored parts. */
  missingFrom(stored: readonly Message[]): readonly MissingDelivery[] {
    const byUid = new Map(stored.map((message) => [message.uid, message]));
    return [...this.shown].flatMap(([messageUid, { parts }]) =>
      parts.flatMap(({ kind, text: shown }, part): readonly MissingDelivery[] => {
        const row = byUid.get(messageUid)?.parts[part];
        const text = row?.kind === kind ? row.text : null;
        return text !== null && text.startsWith(shown) ? [] : [{ messageUid, part, kind, shown, stored: text }];
      }),
    );
  }

  private see(message: Message): void {
    // A repair also reports rows of earlier turns.
    if (message.turnUid !== this.turnUid || message.carriedFrom !== null) return;
    this.order.add(message.uid);
    if (message.role === 'assistant') this.rows.set(message.uid, message);
  }
}

function before(uid: string, all: readonly string[]): readonly string[] {
  return all.slice(0, all.indexOf(uid));
}
