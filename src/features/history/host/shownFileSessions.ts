import * as v from 'valibot';
import type { KeptValues } from '../../../tools/programTrust';

const key = 'history.fileTabs';
const keptTabs = v.record(v.string(), v.string());

/** Remembers across a window reload which session of a file its tab shows. Files by their address. */
export class ShownFileSessions {
  constructor(private readonly memory: KeptValues) {}

  /** Null: not known. */
  of(file: string): string | null {
    return this.kept()[file] ?? null;
  }

  async shows(file: string, sessionId: string): Promise<void> {
    const kept = this.kept();
    if (kept[file] !== sessionId) await this.memory.update(key, { ...kept, [file]: sessionId });
  }

  async closed(file: string): Promise<void> {
    const others = Object.entries(this.kept()).filter(([each]) => each !== file);
    await this.memory.update(key, Object.fromEntries(others));
  }

  private kept(): Readonly<Record<string, string>> {
    const kept = v.safeParse(keptTabs, this.memory.get(key));
    return kept.success ? kept.output : {};
  }
}
