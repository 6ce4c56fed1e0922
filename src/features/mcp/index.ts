import { registerCommands } from '../../host/common/commands';
import type { WindowContext } from '../../host/window/windowContext';
import { manageServers } from './host/manageServers';
import { McpHost } from './host/mcpHost';

/** MCP servers (docs/mcp.md), and tools of other extensions. */
export function register(window: WindowContext): void {
  const { own, context, distFolder, terminal, history, tools, servers, activeChat, clock, log } = window;
  const host = own(
    new McpHost({
      context,
      distFolder,
      confinement: terminal.confinement,
      storageFolder: () => history.folder,
      otherTools: () => tools.names.length,
      clock,
      log,
      offer: (offers) => history.status.offer('mcp', offers),
    }),
  );
  own(servers.fill(host));
  own(host.onDidChangePrompts(() => activeChat.all.forEach((chat) => chat.promptFilesChanged())));
  own(registerCommands({ manageMcpServers: () => manageServers(host) }, log));
}
