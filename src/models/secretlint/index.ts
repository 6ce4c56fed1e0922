import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import type { SecretLintRuleContext, SecretLintRuleReportDescriptor, SecretLintSourceCode } from '@secretlint/types';
import type { SecretSpan } from '../secrecy/secretRules';

/** Rules of the preset that are not used:
 *  - filter-comments: a text could disable the other rules with `secretlint-disable`.
 *  - gcp: reports a whole text as the secret, and reads files. The private key in a service account's JSON is found
 *  by the rule for private keys.
 *  - basicauth and database-connection-string: report a whole address as the secret, and skip passwords such as
 *  "secret". Our rule (secrecy.ts) masks only the password, with any value and any scheme. */
const leftOut: ReadonlySet<string> = new Set(
  ['filter-comments', 'gcp', 'basicauth', 'database-connection-string'].map(
    (name) => `@secretlint/secretlint-rule-${name}`,
  ),
);

/** `enableIDScanRule`: also reports ids of AWS access keys, which the AWS rule skips by default. */
const options = { enableIDScanRule: true };

/** Finds secrets with the recommended rules of secretlint. The spans are in no order and may overlap.
 *
 *  Runs the rules directly and not with `@secretlint/core`, which is made for a program that checks files once and
 *  ends. It adds about 36 permanent performance marks per text and searches them (100 texts took 1.4 s after 2,000
 *  others). It compares every finding with every other (4,000 tokens: 540 ms instead of 6). It is also asynchronous,
 *  while a log line must be masked before it is written. */
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

/** Some rules report the start of a whole match, but the length of the secret inside it. The secret itself is in the
 *  data of the report. */
function spanOf({ range: [start, end], message }: SecretLintRuleReportDescriptor, text: string): SecretSpan {
  const values: readonly unknown[] = Object.values(Object(message.data));
  const secret = values.find((value) => typeof value === 'string' && value.length === end - start);
  const at = typeof secret === 'string' ? text.indexOf(secret, start) : start;
  return at < 0 ? { start, end } : { start: at, end: at + end - start };
}

/** Wraps a text without a file name: rules that look at names would take it for one of theirs. */
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
