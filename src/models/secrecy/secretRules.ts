/** A part of a text, from `start` to before `end`, in UTF-16 units. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
}

/** Finds secrets by their shapes, in any order. */
export type FindSecrets = (text: string) => readonly SecretSpan[];

interface SecretRulesSource {
  /** Loads the rules. May throw. */
  readonly load: () => FindSecrets;
  /** Called once when the rules cannot be loaded, or failed on a text. */
  readonly onFailure: (error: unknown) => void;
}

/** Rules that are loaded with the first text. Without a source, or if they cannot be loaded, they find nothing. */
export class SecretRules {
  private source: SecretRulesSource | null = null;
  private rules: FindSecrets | null = null;
  private hasFailed = false;

  /** Sets the source of the rules. Each window calls it once, before the first text. */
  from(source: SecretRulesSource): void {
    this.source = source;
    this.rules = null;
    this.hasFailed = false;
  }

  /** True when a text can be checked without loading anything first. */
  get isReady(): boolean {
    return this.rules !== null || this.source === null;
  }

  find(text: string): readonly SecretSpan[] {
    if (this.source === null) return [];
    try {
      this.rules ??= this.source.load();
      return this.rules(text);
    } catch (error) {
      const { onFailure } = this.source;
      if (this.rules === null) this.source = null;
      if (!this.hasFailed) onFailure(error);
      this.hasFailed = true;
      return [];
    }
  }
}
