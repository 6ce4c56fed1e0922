import * as v from 'valibot';
import { allowRuleProblem } from '../../tools/approval/ruleText';
import type { KeptValues } from '../../tools/programTrust';

const memoryKey = 'hermes.approvals.allow';

/** Rules that the user allowed for this workspace. */
export class WorkspaceRules {
  constructor(private readonly memory: KeptValues) {}

  all(): readonly string[] {
    const stored = v.safeParse(v.array(v.string()), this.memory.get(memoryKey));
    return stored.success ? stored.output.filter((rule) => allowRuleProblem(rule) === null) : [];
  }

  /** Resolves once the rules are saved. */
  async add(rules: readonly string[]): Promise<void> {
    await this.memory.update(memoryKey, [...new Set([...this.all(), ...rules])]);
  }

  async remove(rule: string): Promise<void> {
    await this.memory.update(
      memoryKey,
      this.all().filter((each) => each !== rule),
    );
  }
}
