import { createHash } from 'node:crypto';

/** Longest name that every provider accepts. */
const longest = 64;
const markLength = 7;

/** Names of these tools for models: `mcp_<server>_<tool>`, unique, with characters that every provider accepts. A
 *  name that is too long or already taken ends in a hash of the real names. So it is the same in every turn. */
export function toolNames(tools: readonly { readonly server: string; readonly tool: string }[]): readonly string[] {
  const taken = new Set<string>();
  return tools.map(({ server, tool }) => {
    const plain = `mcp_${plainName(server)}_${plainName(tool)}`;
    const marked = `${plain.slice(0, longest - markLength)}_${createHash('sha256')
      .update(JSON.stringify([server, tool]))
      .digest('hex')
      .slice(0, markLength - 1)}`;
    const name = plain.length > longest || taken.has(plain) ? marked : plain;
    taken.add(name);
    return name;
  });
}

/** True when a tool of this server could have that name. */
export function mayBeToolOf(server: string, name: string): boolean {
  return name.startsWith(`mcp_${plainName(server)}_`.slice(0, longest - markLength));
}

function plainName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, '_');
}
