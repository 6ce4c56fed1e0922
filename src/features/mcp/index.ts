import { registerCommands } from '../../host/common/commands';
import type { WindowContext } from '../../host/window/windowContext';
import { manageServers } from './host/manageServers';
import { McpHost } from './host/mcpHost';

/** MCP servers (docs/mcp.md), and tools of other extensions. */
export function register(window: WindowContext): void {
  const { own, servers, activeChat, log } = window;
  const host = own(new McpHost(window));
  own(servers.fill(host));
  own(host.onDidChangePrompts(() => activeChat.all.forEach((chat) => chat.promptFilesChanged())));
  own(registerCommands({ manageMcpServers: () => manageServers(host) }, log));
}
