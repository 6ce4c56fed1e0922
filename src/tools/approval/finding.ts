import type { AskReason } from '../../transcript/approval';

/** Result for one thing that a call needs. `rules` null: it can only be allowed once. */
export type Finding =
  | { readonly kind: 'allow' }
  | { readonly kind: 'ask'; readonly reasons: readonly AskReason[]; readonly rules: readonly string[] | null }
  | { readonly kind: 'deny'; readonly sentence: string };

export const allowed: Finding = { kind: 'allow' };

export function asked(reasons: readonly AskReason[], rules: readonly string[] | null): Finding {
  return { kind: 'ask', reasons, rules };
}

/** Combines the findings of a call that needs all of them: returns the strictest, with all reasons and rules to ask
 *  about together. */
export function strictest(findings: readonly Finding[]): Finding {
  const denied = findings.find((finding) => finding.kind === 'deny');
  if (denied !== undefined) return denied;
  const asks = findings.filter((finding) => finding.kind === 'ask');
  if (asks.length === 0) return allowed;
  const reasons = [...new Set(asks.flatMap((finding) => finding.reasons))];
  const isOnceOnly = asks.some((finding) => finding.rules === null);
  return asked(reasons, isOnceOnly ? null : [...new Set(asks.flatMap((finding) => finding.rules ?? []))]);
}

export function deniedByRule(rule: string): Finding {
  return {
    kind: 'deny',
    sentence:
      `The person's rule ${rule} denies this. Do not try to do the same in another way; go on without it, or say ` +
      'what you would need.',
  };
}
