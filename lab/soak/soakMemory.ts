import type { MemoryProvider } from '../../src/memory/memoryProvider';
import type { Random } from '../../test/support/simulatedInode';

/** A memory provider that keeps nothing but how often it was called. A share of its calls fails. */
export class SoakMemory implements MemoryProvider {
  calls = 0;

  constructor(
    readonly name: string,
    private readonly random: Random,
    private readonly faultShare: number,
  ) {}

  initialize(): Promise<void> {
    return this.call();
  }

  syncTurn(): Promise<void> {
    return this.call();
  }

  async prefetch(): Promise<string> {
    await this.call();
    return `- ${this.name} remembers`;
  }

  onSessionSwitch(): Promise<void> {
    return this.call();
  }

  onSessionEnd(): Promise<void> {
    return this.call();
  }

  async onPreCompress(): Promise<string> {
    await this.call();
    return '';
  }

  private call(): Promise<void> {
    this.calls++;
    return this.random() < this.faultShare ? Promise.reject(new Error(`${this.name} failed`)) : Promise.resolve();
  }
}
