import type { JsonObject } from '../../transcript/json';
import { inReasoningField, metadataKey } from '../http/reasoningField';
import { isObject } from './prompt';
import type { RawTap } from './reading';

type Detail = Record<string, string | number | boolean | null>;

/** Keeps reasoning data of chat completions that the SDK drops. First, the field it came in: only
 *  `reasoning_content` can be sent back. Second, that this field was empty with a call (DeepSeek needs "" back:
 *  opencode#24146). Third, OpenRouter's `reasoning_details`, which hold signatures and encrypted reasoning and must
 *  be returned unchanged. */
export class ReasoningTap implements RawTap {
  private field: 'reasoning_content' | 'reasoning' | null = null;
  private hasThought = false;
  private readonly details: Detail[] = [];
  readonly isHiding = false;

  see(chunk: unknown): void {
    const choices = isObject(chunk) ? chunk['choices'] : undefined;
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    const delta = isObject(choice) ? choice['delta'] : undefined;
    if (!isObject(delta)) return;
    if (typeof delta['reasoning_content'] === 'string') this.field = 'reasoning_content';
    else if (typeof delta['reasoning'] === 'string') this.field = 'reasoning';
    this.hasThought ||= [delta['reasoning_content'], delta['reasoning']].some(
      (text) => typeof text === 'string' && text !== '',
    );
    const details = delta['reasoning_details'];
    if (Array.isArray(details)) for (const detail of details) if (isObject(detail)) this.collect(detail);
  }

  thinkingMetadata(): JsonObject | null {
    return this.field === null ? null : { [metadataKey]: { field: this.field } };
  }

  hiddenBlock(): null {
    return null;
  }

  closingMetadata(called: boolean): JsonObject | null {
    if (this.details.length > 0) return { [metadataKey]: { reasoning_details: this.details } };
    return called && this.field === 'reasoning_content' && !this.hasThought ? inReasoningField() : null;
  }

  /** Pieces of one detail share its index and type. Joins their texts, and takes every other value from the piece
   *  that has it. */
  private collect(piece: JsonObject): void {
    const flat: Detail = {};
    for (const [name, value] of Object.entries(piece)) {
      if (value === null || typeof value !== 'object') flat[name] = value;
    }
    const last = this.details.findLast(
      (detail) => detail['index'] === flat['index'] && detail['type'] === flat['type'],
    );
    if (last === undefined || flat['index'] === undefined) {
      this.details.push(flat);
      return;
    }
    for (const [name, value] of Object.entries(flat)) {
      const before = last[name];
      const joins =
        (name === 'text' || name === 'summary' || name === 'data') &&
        typeof before === 'string' &&
        typeof value === 'string';
      if (joins) last[name] = before + value;
      else if (value !== null) last[name] = value;
    }
  }
}
