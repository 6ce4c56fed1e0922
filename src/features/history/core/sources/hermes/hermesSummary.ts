/** Beginnings of the texts that Hermes Agent puts before a summary (`SUMMARY_PREFIX` and `LEGACY_SUMMARY_PREFIX` in
 *  agent/context_compressor.py). Versions before the column `_compressed_summary` have no other mark. */
const beginnings = ['[CONTEXT COMPACTION — REFERENCE ONLY]', '[CONTEXT SUMMARY]:'];
/** Last words of the instructions after the first beginning, in every version. */
const instructionsEnd = 'avoid repeating it:';
const endMark = '--- END OF CONTEXT SUMMARY —';
/** Around a message that was merged with a summary. */
const priorHeader = '[PRIOR CONTEXT — for reference only; not a new message]';
const priorEnd = '[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]';

export interface HermesSummary {
  /** The summary without the instructions around it. */
  readonly text: string;
  /** Text of a message that was merged with it. Default: null. */
  readonly prior: string | null;
}

/** The summary in a text; null for other texts. */
export function summaryIn(text: string): HermesSummary | null {
  const border = text.startsWith(priorHeader) ? text.indexOf(priorEnd) : -1;
  if (border === -1) return isSummary(text) ? { text: bodyOf(text), prior: null } : null;
  const rest = text.slice(border + priorEnd.length).trimStart();
  if (!isSummary(rest)) return null;
  const prior = text.slice(priorHeader.length, border).trim();
  return { text: bodyOf(rest), prior: prior === '' ? null : prior };
}

function isSummary(text: string): boolean {
  return beginnings.some((beginning) => text.startsWith(beginning));
}

function bodyOf(text: string): string {
  const beginning = beginnings.find((one) => text.startsWith(one)) ?? '';
  const instructed = beginning === beginnings[0] ? text.indexOf(instructionsEnd) : -1;
  const start = instructed === -1 ? beginning.length : instructed + instructionsEnd.length;
  const end = text.lastIndexOf(endMark);
  return text.slice(start, end < start ? undefined : end).trim();
}
