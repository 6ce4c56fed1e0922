import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as client from '../../tools/mcp/client/index';
import type { CreateMcpClient } from '../../tools/mcp/mcpConnection';

/** Loads `dist/mcp.js` when a server is first started: a window without one should not pay for the client. */
export function mcpBundle(folder: string): () => CreateMcpClient {
  const load = createRequire(join(folder, 'extension.js'));
  return () => {
    const module: unknown = load('./mcp.js');
    if (!isClientModule(module))
      throw new Error(`${join(folder, 'mcp.js')} is not the MCP bundle of this version. Install the extension again.`);
    return module.createMcpClient;
  };
}

/** It is our own file, built with this one; that it is whole is all there is to check. */
function isClientModule(module: unknown): module is typeof client {
  return (
    typeof module === 'object' &&
    module !== null &&
    'createMcpClient' in module &&
    typeof module.createMcpClient === 'function'
  );
}
