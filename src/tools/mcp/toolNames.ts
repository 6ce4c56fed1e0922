import { createHash } from 'node:crypto';

/** What every provider accepts. */
const longest = 64;
const markLength = 7;

/** The names under which models know these tools: `mcp_<server>_<tool>`, of characters that every provider takes, each once. A name that had to
 *  be cut, or that an earlier tool has, ends in a mark made of the real names, so that it is the same in every turn. */
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

/** Whether a tool of this server could have that name. */
export function mayBeToolOf(server: string, name: string): boolean {
  return name.startsWith(`mcp_${plainName(server)}_`.slice(0, longest - markLength));
}

function plainName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, '_');
}
