import { signal, type ReadonlySignal } from '@preact/signals';
import type { TurnEvent } from '../../protocol/transcriptTypes';
import { laterParts } from './components/common/laterParts';

/** What is said to those who listen, about the session that is shown: each thing once, never by the delta. Politely what can wait for the end of
 *  a sentence; urgently what the agent asks, and what went wrong. */
export class Announcements {
  private readonly polite = signal('');
  private readonly urgent = signal('');

  get text(): ReadonlySignal<string> {
    return this.polite;
  }

  get alert(): ReadonlySignal<string> {
    return this.urgent;
  }

  say(words: string): void {
    this.polite.value = words;
  }

  warn(words: string): void {
    this.urgent.value = words;
  }

  heard(event: TurnEvent): void {
    switch (event.kind) {
      case 'turnOpened':
        this.polite.value = '';
        this.urgent.value = '';
        break;
      case 'approvalDecided':
        // The next question may have the same words, and is said again.
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
    // Loaded long before a turn ends.
    const ending = laterParts.peek()?.endingLabels(turn, messages) ?? null;
    this.urgent.value = ending?.isUrgent === true ? ending.words : '';
    if (ending?.isUrgent === false) this.polite.value = ending.words;
  }
}
