import * as v from 'valibot';
import { t } from '../../base/translate';
import { parseEndpoint } from '../../models/http/endpoint';
import type { ProviderSettings } from '../../models/providerSettings';

const describedModelSchema = v.object({
  id: v.pipe(v.string(), v.nonEmpty('empty')),
  contextWindow: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  tools: v.optional(v.boolean()),
  images: v.optional(v.boolean()),
});

/** The messages are keys of `fieldProblem`. */
const endpointSchema = v.object({
  name: v.pipe(v.string(), v.trim(), v.nonEmpty('empty'), v.excludes('/', 'slash')),
  protocol: v.picklist(['openai', 'anthropic'], 'protocol'),
  baseUrl: v.pipe(
    v.string(),
    v.trim(),
    v.check((text) => parseEndpoint(text) !== null, 'address'),
  ),
  models: v.optional(v.array(describedModelSchema)),
});

/** Reads `hermes.providers`. Reports and leaves out each invalid entry. */
export function readProviderEntries(value: unknown, complain: (sentence: string) => void): readonly ProviderSettings[] {
  if (!Array.isArray(value)) {
    complain(t('The setting `hermes.providers` is not a list of providers. It is ignored until you fix it.'));
    return [];
  }
  const entries: readonly unknown[] = value;
  const endpoints = new Map<string, ProviderSettings>();
  for (const [index, entry] of entries.entries()) {
    const parsed = v.safeParse(endpointSchema, entry);
    if (!parsed.success) complain(entryProblem(index + 1, entry, parsed.issues.map(fieldProblem).join('; ')));
    else if (endpoints.has(parsed.output.name))
      complain(
        t(
          'Entry {number} of the setting `hermes.providers` (“{name}”) is ignored: an earlier entry has the same name.',
          { number: index + 1, name: parsed.output.name },
        ),
      );
    else endpoints.set(parsed.output.name, parsed.output);
  }
  return [...endpoints.values()];
}

function entryProblem(number: number, entry: unknown, reasons: string): string {
  const named = v.safeParse(v.object({ name: v.string() }), entry);
  return named.success
    ? t('Entry {number} of the setting `hermes.providers` (“{name}”) is ignored: {reasons}.', {
        number,
        name: named.output.name,
        reasons,
      })
    : t('Entry {number} of the setting `hermes.providers` is ignored: {reasons}.', { number, reasons });
}

function fieldProblem(issue: v.BaseIssue<unknown>): string {
  const field = v.getDotPath(issue);
  if (field === null) return t('it is not an object with name, protocol, and baseUrl');
  if (issue.received === 'undefined') return t('{field} is missing', { field });
  switch (issue.message) {
    case 'empty':
      return t('{field} is empty', { field });
    case 'slash':
      return t('{field} contains a slash', { field });
    case 'protocol':
      return t('{field} is neither “openai” nor “anthropic”', { field });
    case 'address':
      return t('{field} is not a web address that begins with http:// or https://', { field });
    default:
      return t('{field} can’t be used', { field });
  }
}
