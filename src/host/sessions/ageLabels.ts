const steps = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** Formats an age in the user's language: "5 minutes ago", or "now" below a minute. Times in seconds since the
 *  epoch. */
export function ageLabels(then: number, now: number, language: string): string {
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const age = Math.max(0, now - then);
  const step = steps.find(([, seconds]) => age >= seconds);
  return step === undefined ? format.format(0, 'second') : format.format(-Math.floor(age / step[1]), step[0]);
}
