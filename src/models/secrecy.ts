const keyLike = /\b(?:sk|gsk|xai|pk|rk|or|ant|nvapi|hf|csk|fw|tgp_v1)[-_][A-Za-z0-9_*.-]{8,}/g;
const authorization =
  /\b(bearer|x-api-key|api[-_]?key|authorization)(["']?\s*[:=]?\s*["']?(?:bearer\s+)?)[^\s"',}]{6,}/gi;

/** Removes a key, and whatever looks like one, from text that is stored, logged or shown. Services echo keys in their errors. */
export function withoutSecrets(text: string, key: string | null): string {
  const known = key !== null && key.length >= 4 ? text.replaceAll(key, '[key]') : text;
  return known.replace(keyLike, '[key]').replace(authorization, '$1$2[key]');
}

/** Whole tokens that are a credential by their shape, whatever stands around them. */
const credentials = new RegExp(
  [
    String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`,
    String.raw`\b(?:sk|gsk|xai|pk|rk|nvapi|hf|csk|fw|tgp_v1|glpat|npm)[-_](?=[A-Za-z_.-]*\d)[A-Za-z0-9_.-]{12,}(?<!\.)`,
    String.raw`\bgh[pousr]_[A-Za-z0-9]{16,}`,
    String.raw`\bgithub_pat_\w{16,}`,
    String.raw`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
    String.raw`\bAIza[\w-]{30,}`,
    String.raw`\bxox[abeprs]-[\w-]{10,}`,
    String.raw`\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}`,
  ].join('|'),
  'g',
);
const bearer = /\b(bearer|basic)\s+(?=[A-Za-z._~+/=-]*\d)[A-Za-z0-9._~+/=-]{12,}(?<!\.)/gi;
const passwordInAddress = /(:\/\/[^\s/:@]+:)[^\s/@]+@/g;
/** `password: …`, `API_KEY="…"`. The name may be the end of a longer one. */
const assignment =
  /((?:api[-_]?key|access[-_]?key|secret|token|passwd|password|passphrase)["']?\s*(?::|=(?![=>]))\s*)("[^"\n]{6,}"|'[^'\n]{6,}'|[^\s"',;`]{6,})/gi;

/** Masks credentials in text of a conversation before it goes to a memory provider or into a summary. Unlike `withoutSecrets`, which cleans
 *  errors and may take a word too many, it leaves prose and code about credentials readable: `token: string` is no secret. */
export function maskSecrets(text: string): string {
  return text
    .replace(credentials, '[secret]')
    .replace(bearer, '$1 [secret]')
    .replace(passwordInAddress, '$1[secret]@')
    .replace(assignment, (whole, name: string, value: string) => (isLiteral(value) ? `${name}[secret]` : whole));
}

/** A quoted value is one; a bare one counts where it cannot be a type, a variable or a call. */
function isLiteral(value: string): boolean {
  if (value === '[secret]') return false;
  return /^["']/.test(value) ? !/^["'](?:\$\{|<)/.test(value) : /\d/.test(value) && !/[()[\]{}<>$]/.test(value);
}
