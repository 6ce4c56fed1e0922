import { signal, type ReadonlySignal } from '@preact/signals';
import type { TurnEvent } from '../../protocol/transcriptWords';
import { t } from '../localization';

/** What is said politely to those who listen, about the session that is shown. */
export class Announcements {
  private readonly said = signal('');

  get text(): ReadonlySignal<string> {
    return this.said;
  }

  say(words: string): void {
    this.said.value = words;
  }

  heard(event: TurnEvent): void {
    if (event.kind === 'turnOpened') this.said.value = '';
    if (event.kind !== 'turnSettled') return;
    const { outcome, stopReason } = event.turn;
    // Failures and interruptions are alerts under the answer.
    if (outcome === 'complete') this.said.value = t('Answer finished');
    else if (stopReason === 'user') this.said.value = t('Answer stopped');
  }
}
