/** Meaning of a service's word for the end of an answer. failed: the service broke off · unknown: any other word. */
type FinishKind = 'stop' | 'length' | 'toolCalls' | 'contentFilter' | 'failed' | 'unknown';

/** The first pattern that fits counts. */
const kinds: readonly (readonly [RegExp, FinishKind])[] = [
  [
    /error|fail|abort|cancel|interrupt|time.?out|network|insufficient|unavailable|overload|rate.?limit|malformed|disconnect|preempt|killed|crash|shut.?down/,
    'failed',
  ],
  [
    /filter|safety|sensitive|refus|moderat|recitation|prohibit|block|spii|policy|language|risk|flagged|guard/,
    'contentFilter',
  ],
  [/length|max|limit|exceed|truncat|budget|context|pause_turn/, 'length'],
  [/tool|function/, 'toolCalls'],
  [/^(?:stop|eos|end|finish|complete|done|success|normal)/, 'stop'],
];

/** Tells a finish reason's meaning: services write many words of their own. */
export function finishKind(reason: string): FinishKind {
  const word = reason.toLowerCase();
  return kinds.find(([pattern]) => pattern.test(word))?.[1] ?? 'unknown';
}

/** Returns a service's word for the end of its answer. Some write "" or "null" for none in every event. */
export function finishIn(value: unknown): string | null {
  return typeof value !== 'string' || /^\s*(?:null|none)?\s*$/i.test(value) ? null : value;
}
