import type { ChatEditor } from '../chat/chatHandlers';
import type { ChatView } from '../chat/chatView';
import type { CommandTable } from '../common/commands';
import { setupEntryIds } from '../models/modelDiscovery';

export interface WindowCommandNeeds {
  readonly chat: Pick<ChatView, 'focus'>;
  /** Session that the chat shows. */
  readonly shown: () => string | null;
  readonly editor: ChatEditor;
  /** `entryId`: a setup entry. Null: asks the user for one. */
  readonly setUpModel: (entryId: string | null) => Promise<void>;
  readonly setUpMemory: () => Promise<void>;
}

/** Commands for models, memory, settings and the log. */
export function windowCommands({ chat, shown, editor, setUpModel, setUpMemory }: WindowCommandNeeds): CommandTable {
  return {
    setUpModel: () => setUpModel(null),
    tryDemo: () => setUpModel(setupEntryIds.demo),
    setUpMemory: () => setUpMemory(),
    selectModel: () => editor.pickModel(shown()),
    focusChat: () => chat.focus(),
    openSettings: () => editor.openSettings(''),
    showLog: async () => editor.showLog(),
  };
}
