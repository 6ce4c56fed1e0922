import type { Message } from '../transcript/message';
import type { DeliveredKind } from '../transcript/part';
import type { TurnEvent } from '../transcript/turnEvent';

/** Text that surfaces were given and the store does not hold. */
export interface MissingDelivery {
  readonly messageUid: string;
  readonly part: number;
  readonly kind: DeliveredKind;
  readonly shown: string;
  readonly stored: string | null;
}

/** Remembers every delivered text of one turn as the surfaces were given it, to compare it with what is on disk when the turn has settled.
 *  It knows nothing of how texts are stored, which is what makes it a witness. */
export class DeliveryWitness {
  private readonly shown = new Map<string, { readonly kind: DeliveredKind; readonly text: string }[]>();

  observe(event: TurnEvent): void {
    if (event.kind !== 'delivered') return;
    for (const chunk of event.chunks) {
      const parts = this.shown.get(chunk.messageUid) ?? [];
      parts[chunk.part] = {
        kind: chunk.kind,
        text: (parts[chunk.part]?.text ?? '').slice(0, chunk.start) + chunk.text,
      };
      this.shown.set(chunk.messageUid, parts);
    }
  }

  /** What of the delivered text the stored messages do not begin with, part by part. */
  missingFrom(stored: readonly Message[]): readonly MissingDelivery[] {
    const byUid = new Map(stored.map((message) => [message.uid, message]));
    return [...this.shown].flatMap(([messageUid, parts]) =>
      parts.flatMap(({ kind, text: shown }, part): readonly MissingDelivery[] => {
        const row = byUid.get(messageUid)?.parts[part];
        const text = row?.kind === kind ? row.text : null;
        return text !== null && text.startsWith(shown) ? [] : [{ messageUid, part, kind, shown, stored: text }];
      }),
    );
  }
}
