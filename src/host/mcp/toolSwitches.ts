import * as v from 'valibot';
import type { KeptValues } from './serverTrust';

const key = 'mcp.toolsOff';
const keptSchema = v.record(v.string(), v.array(v.string()));

/** Tools of servers that the user switched off in this workspace, by the server's id. A tool that a server offers later
 *  is on. */
export class ToolSwitches {
  constructor(private readonly memory: KeptValues) {}

  isOff(server: string, tool: string): boolean {
    return this.read()[server]?.includes(tool) === true;
  }

  /** `off`: all tools of the server that are off from now on. */
  async set(server: string, off: readonly string[]): Promise<void> {
    const { [server]: _before, ...others } = this.read();
    await this.memory.update(key, off.length === 0 ? others : { ...others, [server]: [...off] });
  }

  private read(): Readonly<Record<string, readonly string[]>> {
    const kept = v.safeParse(keptSchema, this.memory.get(key));
    return kept.success ? kept.output : {};
  }
}
