import { addUsage, unknownUsage, type Usage } from '../../../../../transcript/usage';

/** Sums the usage of a session's requests. Null while none was counted. */
export class UsageSum {
  private sum: Usage | null = null;

  add(usage: Usage | null): void {
    if (usage !== null) this.sum = addUsage(this.sum ?? unknownUsage, usage);
  }

  get total(): Usage | null {
    return this.sum;
  }
}
