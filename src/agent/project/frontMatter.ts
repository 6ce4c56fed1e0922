import * as v from 'valibot';

/** A Markdown file and its front matter, the block between two `---` lines at the top. */
export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const block = /^---[ \t]*\n([^]*?)(?:^|\n)---[ \t]*(?:\n|$)/;
const fieldsSchema = v.record(v.string(), v.unknown());

/** Parses the front matter. Never rejects: a block that is not valid YAML is parsed line by line, because many are
 *  not (`globs: *.ts` is an alias, `description: do: this` an error). */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const normal = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const match = block.exec(normal);
  if (match === null) return { fields: {}, body: normal.trim() };
  const yaml = match[1] ?? '';
  return { fields: (await yamlFields(yaml)) ?? plainFields(yaml), body: normal.slice(match[0].length).trim() };
}

/** Returns a field as one line of text. Null when it is missing or not text. */
export function textField({ fields }: FrontMatter, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = fields[name];
    const text =
      typeof value === 'string' || typeof value === 'number' ? String(value).replaceAll(/\s+/g, ' ').trim() : '';
    if (text !== '') return text;
  }
  return null;
}

/** Returns a field that is a list, or a text with commas. */
export function listField({ fields }: FrontMatter, ...names: readonly string[]): readonly string[] {
  const value = names.map((name) => fields[name]).find((found) => found !== undefined && found !== null);
  if (typeof value === 'string')
    return value
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '');
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** Names of models that the file asks for, the best first. Empty: that of whoever uses it. */
export function modelsOf(read: FrontMatter): readonly string[] {
  return listField(read, 'model').filter((name) => !['', 'inherit', 'default', 'auto'].includes(name.toLowerCase()));
}

/** `argument-hint: [file]` is meant as text, but YAML parses it as a list. */
export function hintOf(read: FrontMatter): string | null {
  const list = listField(read, 'argument-hint');
  return textField(read, 'argument-hint') ?? (list.length === 0 ? null : `[${list.join(', ')}]`);
}

async function yamlFields(yaml: string): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    // Loaded on demand: most folders have no such file, and every window would pay for it.
    const { parseDocument } = await import('yaml');
    // Without aliases, no file of a repository can grow while it is parsed.
    const document = parseDocument(yaml, { logLevel: 'silent' });
    if (document.errors.length > 0) return null;
    const parsed = v.safeParse(fieldsSchema, document.toJS({ maxAliasCount: 0 }) ?? {});
    return parsed.success ? parsed.output : null;
  } catch {
    return null;
  }
}

function plainFields(yaml: string): Readonly<Record<string, unknown>> {
  const lines = yaml.split('\n').flatMap((line) => {
    const match = /^([A-Za-z][\w-]*)\s*:\s*(.*?)\s*$/.exec(line);
    return match === null ? [] : [[match[1] ?? '', plainValue(match[2] ?? '')] as const];
  });
  return Object.fromEntries(lines);
}

function plainValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return text.replace(/^(["'])(.*)\1$/, '$2');
}
