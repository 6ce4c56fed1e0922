const keyLike = /\b(?:sk|gsk|xai|pk|rk|or|ant|nvapi|hf|csk|fw|tgp_v1)[-_][A-Za-z0-9_*.-]{8,}/g;
const authorization = /\b(bearer|x-api-key|api[-_]?key|authorization)(["']?\s*[:=]?\s*["']?(?:bearer\s+)?)[^\s"',}]{6,}/gi;

/** Removes a key, and whatever looks like one, from text that is stored, logged or shown. Services echo keys in their errors. */
export function withoutSecrets(text: string, key: string | null): string {
  const known = key !== null && key.length >= 4 ? text.replaceAll(key, '[key]') : text;
  return known.replace(keyLike, '[key]').replace(authorization, '$1$2[key]');
}
