import type { ChatSurfaceNeeds } from './chatSurface';

/** The store as the surface of a tab sees it. Which session a tab shows is remembered by its page, not in the store: a tab that is closed
 *  leaves nothing behind, and a second window with the same history has tabs of its own. */
export function ownMemory(sessions: ChatSurfaceNeeds['sessions'], shown: string | null): ChatSurfaceNeeds['sessions'] {
  let remembered = shown;
  return {
    getSession: (id) => sessions.getSession(id),
    getMessage: (uid) => sessions.getMessage(uid),
    getTurn: (uid) => sessions.getTurn(uid),
    findSession: (text) => sessions.findSession(text),
    approval: (id) => sessions.approval(id),
    conversationTip: (id) => sessions.conversationTip(id),
    getMeta: () => Promise.resolve(remembered),
    setMeta: (_key, value) => {
      remembered = value;
      return Promise.resolve();
    },
  };
}
