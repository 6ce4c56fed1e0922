import { parse } from 'jsonc-parser';
import * as v from 'valibot';

const mostOutputLines = 20;
const mostOutputCharacters = 1000;

const textSchema = v.union([v.string(), v.array(v.string())]);
const outputSchema = v.looseObject({
  output_type: v.string(),
  text: v.optional(textSchema),
  data: v.optional(v.record(v.string(), v.unknown())),
  ename: v.optional(v.string()),
  evalue: v.optional(v.string()),
});
const cellSchema = v.looseObject({
  cell_type: v.string(),
  source: textSchema,
  outputs: v.optional(v.array(v.unknown())),
});
const notebookSchema = v.looseObject({
  cells: v.array(cellSchema),
  nbformat: v.number(),
  nbformat_minor: v.optional(v.number(), 0),
});
type Notebook = v.InferOutput<typeof notebookSchema>;

export function isNotebook(path: string): boolean {
  return path.toLowerCase().endsWith('.ipynb');
}

/** Cells of a notebook with number, kind and source, and the beginning of their outputs. Null when it is not one. */
export function notebookText(text: string): string | null {
  const notebook = notebookOf(text);
  if (notebook === null) return null;
  const cells = notebook.cells.map(({ cell_type, source, outputs }, index) =>
    [`[cell ${index + 1}: ${cell_type}]`, joined(source), ...(outputs ?? []).map(outputText)].join('\n'),
  );
  return `${cells.join('\n\n')}\n`;
}

/** Null when the text is not a notebook of format 4. */
export function notebookOf(text: string): Notebook | null {
  // The reader with locations takes whatever this does.
  const parsed = v.safeParse(notebookSchema, parse(text, [], { disallowComments: true }));
  return parsed.success ? parsed.output : null;
}

/** Source or output of a cell, which is a text or a list of its lines. */
export function joined(source: string | readonly string[]): string {
  return typeof source === 'string' ? source : source.join('');
}

function outputText(output: unknown): string {
  const parsed = v.safeParse(outputSchema, output);
  if (!parsed.success) return '[output]';
  const { output_type, text, data = {}, ename, evalue } = parsed.output;
  const plain = v.safeParse(textSchema, text ?? data['text/plain']);
  const others = Object.keys(data).filter((type) => type !== 'text/plain');
  const head = ename === undefined ? [output_type, ...others].join(', ') : `${ename}: ${evalue ?? ''}`;
  return plain.success ? `[output: ${head}]\n${shortened(joined(plain.output))}` : `[output: ${head}]`;
}

function shortened(text: string): string {
  const lines = text.trimEnd().split('\n');
  const part = lines.slice(0, mostOutputLines).join('\n').slice(0, mostOutputCharacters);
  return part.length < text.trimEnd().length ? `${part} … (${text.length} characters)` : part;
}
