import { registerCommands } from '../../host/common/commands';
import type { WindowContext } from '../../host/window/windowContext';
import { ReviewFeature } from './host/reviewFeature';

/** Review of the files that agents changed (docs/checkpoints.md). */
export function register(window: WindowContext): void {
  const review = window.own(new ReviewFeature(window));
  window.own(window.changedFiles.fill(review.chat));
  window.own(registerCommands(review.commands, window.log));
}
