import { addressClass } from './addressClass';
import { allowed, asked, deniedByRule, type Finding } from './finding';
import { type RuleBook, rulePatternOf } from './ruleBook';
import { printRule } from './ruleText';
import type { AccessPath, AskReason, Mode } from '../../transcript/approval';
import { changeReasons, isSecret, judgedName } from '../pathTreatment';

/** Asks for approval per origin. An address outside the public internet needs approval every time. */
export function judgeFetch(address: string, rules: RuleBook): Finding {
  const url = parsedUrl(address);
  if (url === null) return refused(`${address} is not a web address. Give one that begins with https:// or http://.`);
  const denying = denyingFetchRule(url, rules);
  if (denying !== null) return deniedByRule(denying);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refused(`Only http and https addresses can be fetched, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '')
    return refused('The address contains a name or a password. Leave it out: credentials are not sent.');
  if (addressClass(url.hostname) === 'local') return asked(['network', 'localAddress'], null);
  if (rules.allows('fetch').some((rule) => rule.origin === url.origin)) return allowed;
  return asked(['network'], [`fetch(${url.origin})`]);
}

/** Matches a denied host regardless of scheme and port. */
export function denyingFetchRule(url: URL, rules: RuleBook): string | null {
  const found = rules
    .denies('fetch')
    .find(({ origin }) => origin === null || bareHost(new URL(origin)) === bareHost(url));
  return found === undefined ? null : printRule(found);
}

export function parsedUrl(address: string): URL | null {
  try {
    return new URL(address.trim());
  } catch {
    return null;
  }
}

function bareHost(url: URL): string {
  return url.hostname.toLowerCase().replace(/\.+$/, '');
}

function refused(sentence: string): Finding {
  return { kind: 'deny', sentence };
}

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
