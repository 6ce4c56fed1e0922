import * as v from 'valibot';
import * as vscode from 'vscode';
import { registerCommands } from '../../host/common/commands';
import type { WindowContext } from '../../host/window/windowContext';
import { SearchTab, searchViewType } from './host/searchTab';

/** The screen that searches all sessions of the window's history. */
export function register({ own, programs, gateway, history, localization, opener, log }: WindowContext): void {
  const tab = own(
    new SearchTab(programs, {
      gateway,
      sessions: history.store,
      store: history.status,
      localization,
      open: (...target) => opener.open(...target),
      log,
    }),
  );
  own(vscode.window.registerWebviewPanelSerializer(searchViewType, tab));
  own(
    registerCommands(
      {
        /** Searches for the given words; without words, the field keeps its text. */
        searchSessions: async (words) => tab.show(v.is(v.string(), words) ? words : null),
      },
      log,
    ),
  );
}
