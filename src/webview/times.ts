import { pageLanguage, t } from './localization';

// Creating a formatter takes longer than a frame can spare; formatting is cheap.
const hour = new Intl.DateTimeFormat(pageLanguage, { hour: 'numeric', minute: '2-digit' });
const dayAndHour = new Intl.DateTimeFormat(pageLanguage, {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});
const full = new Intl.DateTimeFormat(pageLanguage, { dateStyle: 'medium', timeStyle: 'medium' });
const ago = new Intl.RelativeTimeFormat(pageLanguage, { style: 'narrow' });
const percent = new Intl.NumberFormat(pageLanguage, { style: 'percent', maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat(pageLanguage, { notation: 'compact', maximumSignificantDigits: 3 });

/** Formats a time for readers: the hour if today, else the day and the hour. Times are seconds since the epoch. */
export function clockTime(at: number, now: number): string {
  const date = new Date(at * 1000);
  const today = startOfDay(now) === startOfDay(at);
  return (today ? hour : dayAndHour).format(date);
}

function startOfDay(at: number): number {
  return new Date(at * 1000).setHours(0, 0, 0, 0);
}

export function fullTime(at: number): string {
  return full.format(new Date(at * 1000));
}

const steps = [
  { unit: 'year', seconds: 31_557_600 },
  { unit: 'month', seconds: 2_629_800 },
  { unit: 'week', seconds: 604_800 },
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
] as const;

/** Formats elapsed time in the largest unit that fits: "3 hr. ago"; under a minute "now". */
export function age(at: number, now: number): string {
  const seconds = Math.max(0, now - at);
  const step = steps.find((candidate) => seconds >= candidate.seconds);
  if (step === undefined) return t('now');
  return ago.format(-Math.floor(seconds / step.seconds), step.unit);
}

/** "9 s", "2 min 5 s". */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return t('{seconds} s', { seconds });
  return t('{minutes} min {seconds} s', { minutes: Math.floor(seconds / 60), seconds: seconds % 60 });
}

/** Duration of something that has ended: "<1 s", "9 s". */
export function tookTime(milliseconds: number): string {
  return milliseconds < 1000 ? t('<1 s') : duration(milliseconds);
}

/** "41 %", in the format of the user's language. */
export function percentOf(part: number): string {
  return percent.format(part);
}

/** "3.1k", "128k", "1M": a token count in as few characters as possible. */
export function compactCount(count: number): string {
  return compact.format(count);
}

/** Clock and timers for the view. */
export interface Timers {
  nowMs(): number;
  /** Calls `callback` once after `delayMs`, unless the returned function is called before. */
  after(delayMs: number, callback: () => void): () => void;
}

export const pageTimers: Timers = {
  nowMs: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
