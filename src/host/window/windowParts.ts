import type { ExtensionContext } from 'vscode';
import { createChats, type WindowChats } from './createChats';
import { createConversations, type WindowConversations } from './createConversations';
import { createModels, type WindowModels } from './createModels';
import { createNotices, type WindowNotices } from './createNotices';
import { createSessions, type WindowSessions } from './createSessions';
import { createTools, type WindowTools } from './createTools';
import { createBasics, type WindowBasics } from './windowBasics';

/** All parts of one window. */
export type WindowDeps = WindowBasics &
  WindowModels &
  WindowTools &
  WindowConversations &
  WindowChats &
  WindowSessions &
  WindowNotices;

/** Builds the parts of one window, each from those built before it. */
export function createParts(context: ExtensionContext, distFolder: string): WindowDeps {
  const basics = createBasics(context, distFolder);
  const models = { ...basics, ...createModels(basics) };
  const tools = { ...models, ...createTools(models) };
  const conversations = { ...tools, ...createConversations(tools) };
  const chats = { ...conversations, ...createChats(conversations) };
  const sessions = { ...chats, ...createSessions(chats) };
  return { ...sessions, ...createNotices(sessions) };
}
