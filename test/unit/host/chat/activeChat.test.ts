import { expect, it } from 'vitest';
import { ActiveChat } from '../../../../src/host/chat/activeChat';

/** A window whose panel is visible or not, beside a chat in the active editor tab or not. */
function chatOf({ isVisible, hasTab }: { readonly isVisible: boolean; readonly hasTab: boolean }) {
  const done: string[] = [];
  const tab = { id: 'tab:1', focusComposer: () => void done.push('tab') };
  const panel = { id: 'chat' };
  const chat = { isVisible, focus: async () => void done.push('panel') };
  const window = { panel, chat, chatTabs: { active: hasTab ? tab : null, surfaces: [tab] } };
  return { active: new ActiveChat(window as never), done };
}

it('is the tab in the active editor while the panel is hidden, and gets the focus alone', async () => {
  const seen = async (isVisible: boolean, hasTab: boolean): Promise<readonly string[]> => {
    const { active, done } = chatOf({ isVisible, hasTab });
    await active.focus();
    return [active.surfaceId, ...done];
  };
  expect([await seen(false, true), await seen(true, true), await seen(false, false)]).toEqual([
    ['tab:1', 'tab'],
    ['chat', 'panel'],
    ['chat', 'panel'],
  ]);
});
