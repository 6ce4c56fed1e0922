import * as v from 'valibot';
import type { ChatSurface } from './chatSurface';
import type { ChatView } from './chatView';
import type { CommandTable } from '../common/commands';

/** Argument of the key binding in an editor tab: the panel may be visible beside it. */
const fromTab = v.object({ from: v.literal('tab') });

interface FindCommandDeps {
  readonly chat: Pick<ChatView, 'show'>;
  readonly panel: Pick<ChatSurface, 'find'>;
  /** Chat tab that is the active editor. */
  readonly tab: () => Pick<ChatSurface, 'find'> | null;
  /** Chat tab that commands apply to. */
  readonly meant: () => Pick<ChatSurface, 'find'> | null;
}

/** Runs "Find in Conversation". The page opens its find bar on the key itself; the command also keeps the key from
 *  the editor's own Find. */
export function findCommand({ chat, panel, tab, meant }: FindCommandDeps): CommandTable {
  return {
    findInConversation: async (args) => {
      const open = v.is(fromTab, args) ? tab() : meant();
      if (open !== null) return open.find();
      await chat.show();
      panel.find();
    },
  };
}
