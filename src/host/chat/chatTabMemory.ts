import type { ChatSurfaceDeps } from './chatSurface';

/** Wraps the store for the surface of a tab. The page of a tab remembers which session it shows, not the store: a
 *  closed tab leaves no trace, and a second window with the same history has its own tabs. */
export function ownMemory(sessions: ChatSurfaceDeps['sessions'], shown: string | null): ChatSurfaceDeps['sessions'] {
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
