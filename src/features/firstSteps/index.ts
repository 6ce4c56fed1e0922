import { registerCommands } from '../../host/common/commands';
import type { WindowContext } from '../../host/window/windowContext';
import { StarterService } from './host/starterService';
import { Walkthrough } from './host/walkthrough';

/** What a user sees before the first answer: suggested prompts, and *Get Started*. */
export function register(window: WindowContext): void {
  const { own, log } = window;
  own(window.starters.fill(new StarterService(window.files, log)));
  const walkthrough = own(new Walkthrough(window));
  own(registerCommands(walkthrough.commands, log));
  const follow = (): void => {
    walkthrough.modelChosen(window.panel.modelState.chosen !== null);
    walkthrough.crashDemoRun((window.crashDemo.current?.current ?? null) !== null);
  };
  own(window.shownChanges.event(follow));
  own(window.history.status.onDidChange(follow));
  follow();
}
