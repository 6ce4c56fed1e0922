/** A part of a text, from `start` up to and without `end`, in UTF-16 units. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
}

/** Finds secrets by their shapes, in any order. */
export type FindSecrets = (text: string) => readonly SecretSpan[];

export interface SecretRulesSource {
  /** Loads the rules. May throw. */
  readonly load: () => FindSecrets;
  /** Called once: the rules cannot be loaded, or failed over a text. */
  readonly onFailure: (error: unknown) => void;
}

/** Rules that are loaded when the first text is looked through. Without a source, and where they cannot be loaded, they find nothing. */
export class SecretRules {
  private source: SecretRulesSource | null = null;
  private rules: FindSecrets | null = null;
  private hasFailed = false;

  /** Where the rules come from. A window says it once, before it has text to look through. */
  from(source: SecretRulesSource): void {
    this.source = source;
    this.rules = null;
    this.hasFailed = false;
  }

  /** Whether a text is looked through without loading anything first. */
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
