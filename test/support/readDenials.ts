import { homedir } from 'node:os';
import { RuleBook } from '../../src/tools/approval/ruleBook';
import type { DeniesReading } from '../../src/tools/secretFiles';

/** What rules to deny say of reading a place, such as `read(private/**)`. */
export function denying(...rules: readonly string[]): DeniesReading {
  const book = new RuleBook({ allow: [], deny: rules }, { home: homedir(), caseSensitive: true });
  return (place) => book.denyingPathRule('read', place) !== null;
}
