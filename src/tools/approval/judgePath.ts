import type { AccessPath, AskReason, Mode } from '../../transcript/approval';
import { allowed, asked, deniedByRule, type Finding } from './finding';
import { type RuleBook, rulePatternOf } from './ruleBook';
import { changeReasons, isSecret, judgedName } from '../pathTreatment';

/** Allows reading inside the open folders without approval, unless the file holds secrets. */
export function judgeRead(path: AccessPath, rules: RuleBook, home: string): Finding {
  const denying = rules.denyingPathRule('read', path);
  if (denying !== null) return deniedByRule(denying);
  const reasons: AskReason[] = [
    ...(path.isInside ? [] : ['outside' as const]),
    ...(isSecret(judgedName(path)) ? ['sensitive' as const] : []),
  ];
  if (reasons.length === 0 && !rules.isUnsure('read')) return allowed;
  if (rules.allowsPath('read', path, reasons.includes('sensitive'))) return allowed;
  const pattern = rulePatternOf(path, home);
  return asked(reasons.length === 0 ? ['rules'] : reasons, pattern === null ? null : [`read(${pattern})`]);
}

/** Follows the mode for a plain file inside the open folders. Every other edit needs approval in every mode. */
export function judgeEdit(path: AccessPath, mode: Mode, rules: RuleBook, home: string): Finding {
  const denying = rules.denyingPathRule('edit', path);
  if (denying !== null) return deniedByRule(denying);
  const special = [
    ...new Set([...changeReasons(judgedName(path)), ...(rules.guards(path) ? ['dotConfig' as const] : [])]),
  ];
  const reasons: readonly AskReason[] = path.isInside ? special : ['outside', ...special];
  if (reasons.length === 0 && mode === 'auto' && !rules.isUnsure('edit')) return allowed;
  if (rules.allowsPath('edit', path, special.length > 0)) return allowed;
  const pattern = rulePatternOf(path, home);
  const isOnceOnly = pattern === null || special.includes('repositoryInternals');
  return asked(reasons.length === 0 ? ['change'] : reasons, isOnceOnly ? null : [`edit(${pattern})`]);
}
