import { addressClass } from './addressClass';
import { allowed, asked, deniedByRule, type Finding } from './finding';
import type { RuleBook } from './ruleBook';
import { printRule } from './ruleText';

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
