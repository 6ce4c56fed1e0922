import * as v from 'valibot';
import type { ActiveChat } from './activeChat';
import type { ChatSurface } from './chatSurface';
import type { ChatTabs } from './chatTabs';
import type { ChatView } from './chatView';
import type { CommandTable } from '../common/commands';

/** Argument of the key binding in an editor tab: the panel may be visible beside it. */
const fromTab = v.object({ from: v.literal('tab') });

interface FindWindow {
  readonly chat: Pick<ChatView, 'show'>;
  readonly panel: Pick<ChatSurface, 'find'>;
  readonly chatTabs: Pick<ChatTabs, 'active'>;
  readonly activeChat: Pick<ActiveChat, 'tab'>;
}

/** Runs "Find in Conversation". The page opens its find bar on the key itself; the command also keeps the key from
 *  the editor's own Find. */
export function findCommand({ chat, panel, chatTabs, activeChat }: FindWindow): CommandTable {
  return {
    findInConversation: async (args) => {
      const open = v.is(fromTab, args) ? chatTabs.active : activeChat.tab;
      if (open !== null) return open.find();
      await chat.show();
      panel.find();
    },
  };
}
