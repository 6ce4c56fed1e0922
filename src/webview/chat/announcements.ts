import { signal, type ReadonlySignal } from '@preact/signals';
import type { TurnEvent } from '../../protocol/transcriptTypes';
import type { LaterCode } from './connection/laterCode';
import type { endingLabels } from './labels/endingLabels';

/** Code that announcements need once a turn ends. */
export interface AnnouncementSteps {
  readonly endingLabels: typeof endingLabels;
}

/** Screen-reader announcements about the shown session. Announces each thing once, never per delta. Uses the polite
 *  live region for what can wait for the end of a sentence, and the urgent one for the agent's requests and for
 *  failures. */
export class Announcements {
  private readonly polite = signal('');
  private readonly urgent = signal('');

  constructor(private readonly later: LaterCode<AnnouncementSteps>) {}

  get text(): ReadonlySignal<string> {
    return this.polite;
  }

  get alert(): ReadonlySignal<string> {
    return this.urgent;
  }

  announce(text: string): void {
    this.polite.value = text;
  }

  warn(text: string): void {
    this.urgent.value = text;
  }

  onEvent(event: TurnEvent): void {
    switch (event.kind) {
      case 'turnOpened':
        this.polite.value = '';
        this.urgent.value = '';
        break;
      case 'approvalDecided':
        // Clear the region, so that a next request with the same words is announced again.
        this.urgent.value = '';
        break;
      case 'turnSettled':
        this.settled(event);
        break;
      default:
        break;
    }
  }

  private settled({ turn, messages }: TurnEvent & { readonly kind: 'turnSettled' }): void {
    // The later parts load long before a turn ends.
    const ending = this.later.parts.peek()?.endingLabels(turn, messages) ?? null;
    this.urgent.value = ending?.isUrgent === true ? ending.text : '';
    if (ending?.isUrgent === false) this.polite.value = ending.text;
  }
}
