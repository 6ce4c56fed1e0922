import { maskSecrets } from '../../../models/secrecy/secrecy';

/** Patterns that memory must not contain: it is part of every later request, so one planted sentence would influence
 *  the model forever. */
const threats: readonly (readonly [name: string, pattern: RegExp])[] = [
  [
    'an order to ignore instructions',
    /\b(?:ignore|disregard|forget|override)\s+(?:\w+\s+){0,3}(?:previous|prior|above|earlier|all|any|your|system)\s+(?:\w+\s+){0,2}(?:instructions?|rules?|prompts?|guidelines?|directives?)/i,
  ],
  [
    'another role for the model',
    /\byou\s+are\s+now\s+(?:a|an|the|in|no\s+longer)\b|\bact\s+as\s+(?:if|though)\s+you\s+(?:have|had)\s+no\s+(?:rules|restrictions|limits)/i,
  ],
  [
    'something to be kept from the person',
    /\b(?:do\s+not|don['’]t|never)\s+(?:tell|inform|show|mention\s+(?:this\s+)?to|reveal\s+(?:this\s+)?to)\s+(?:the\s+)?(?:user|person|human|developer)\b/i,
  ],
  [
    'a tag that stands for the system',
    /<\s*\/?\s*(?:system|assistant|user|instructions?|system[-_]prompt)\s*>|\[\/?INST\]|<\|(?:im_start|im_end|system)\|>/i,
  ],
  ['a new system prompt', /\b(?:new|updated|real)\s+system\s+prompt\b|\bsystem\s+prompt\s+(?:override|update)\b/i],
  [
    'a command that sends credentials away',
    /\b(?:curl|wget|nc|ncat|Invoke-WebRequest|iwr)\b[^\n]*(?:\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL)\w*|\.env\b|id_rsa|id_ed25519|\.netrc|\.aws\/credentials)/i,
  ],
  [
    'a command that reads credentials',
    /\b(?:cat|less|type|Get-Content)\s+[^\n]*(?:\.ssh\/id_|\.netrc|\.aws\/credentials|\.pgpass|\.npmrc)/i,
  ],
  ['a change to who may sign in', /authorized_keys/i],
  // Zero-width joiners and non-joiners are part of scripts and emoji, but these characters are not.
  ['invisible characters', /[\u200b\u2060\u2061-\u2064\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u],
];

/** Returns the problem with a text that should be remembered, in words that follow "it holds". Null for none. */
export function threatIn(text: string): string | null {
  return threats.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}

/** True when a text contains a possible credential, or the mark of one that was masked before. */
export function holdsSecret(text: string): boolean {
  return text.includes('[secret]') || maskSecrets(text) !== text;
}
