import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { SecretLintRuleContext, SecretLintRuleReportDescriptor, SecretLintSourceCode } from '@secretlint/types';
import type { SecretSpan } from '../secrecy/secretRules';

/** Rules of the preset that are not run:
 *  - filter-comments: a text would switch the others off by saying `secretlint-disable`.
 *  - gcp: takes a whole text for the secret, and reads files; the private key in a service account's JSON is found as a private key.
 *  - basicauth and database-connection-string: take a whole address for the secret, and pass over passwords such as "secret". Ours (secrecy.ts) takes the
 *    password alone, whatever it is and whatever the scheme. */
const leftOut: ReadonlySet<string> = new Set(
  ['filter-comments', 'gcp', 'basicauth', 'database-connection-string'].map(
    (name) => `@secretlint/secretlint-rule-${name}`,
  ),
);

/** `enableIDScanRule`: ids of AWS access keys too, which the rule for AWS leaves alone otherwise. */
const options = { enableIDScanRule: true };

/**
 * Finds what the recommended rules of secretlint take for a secret. The spans are in no order and may overlap.
 *
 * Rules are run here rather than by `@secretlint/core`, which is made for a program that checks files once and ends: it keeps about 36 performance marks
 * for ever with every text and searches them (100 texts took 1.4 s after 2,000 others), compares every finding with every other (4,000 tokens: 540 ms
 * instead of 6), and is asynchronous, while a line of a log has to be masked before it is written.
 */
export function findSecrets(text: string): readonly SecretSpan[] {
  const found: SecretSpan[] = [];
  const context: SecretLintRuleContext = {
    sharedOptions: {},
    createTranslator: () => (messageId, data) => ({ message: '', messageId: String(messageId), data }),
    ignore: () => undefined,
    report: (report) => found.push(spanOf(report, text)),
  };
  const source = plainText(text);
  for (const rule of rules) {
    if (!leftOut.has(rule.meta.id)) void rule.create(context, options).file?.(source);
  }
  return found;
}

/** Some rules count from the beginning of a whole match but give the length of the part in it that is the secret: that part is in the data of the report. */
function spanOf({ range: [start, end], message }: SecretLintRuleReportDescriptor, text: string): SecretSpan {
  const values: readonly unknown[] = Object.values(Object(message.data));
  const secret = values.find((value) => typeof value === 'string' && value.length === end - start);
  const at = typeof secret === 'string' ? text.indexOf(secret, start) : start;
  return at < 0 ? { start, end } : { start: at, end: at + end - start };
}

/** A text that is no file: rules that look at names take it for one of theirs. */
function plainText(content: string): SecretLintSourceCode {
  const noPosition = (): never => {
    throw new Error('A text that is masked has no positions.');
  };
  return {
    hasBOM: false,
    content,
    filePath: undefined,
    physicalFilePath: undefined,
    contentType: 'text',
    ext: '',
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
    locationToRange: noPosition,
    rangeToLocation: noPosition,
    positionToIndex: noPosition,
    indexToPosition: noPosition,
  };
}
