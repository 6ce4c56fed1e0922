import { createHash } from 'node:crypto';
import { applyEdits, findNodeAtLocation, type JSONPath, modify, parseTree } from 'jsonc-parser';
import { joined, notebookOf } from '../notebookText';
import type { JsonObject, JsonValue } from '../../transcript/json';
import { usualEnd, splitLines } from './lines';
import { DoesNotFit, replaced } from './replacement';

/** Change of one cell. `cell`: its number, from 1; the new cell of `insert` comes after it, or first after 0. */
export interface CellChange {
  readonly action: 'edit' | 'replace' | 'insert' | 'delete';
  readonly cell: number;
  readonly oldText: string;
  readonly newText: string;
  /** Default: the kind that the cell has; code for a new one. */
  readonly kind?: 'code' | 'markdown' | 'raw' | undefined;
}

/** Text of the file after the change of a cell. All else of the file stays as it is. Throws `DoesNotFit`. */
export function changedNotebook(text: string, change: CellChange, shown: string): string {
  const notebook = notebookOf(text);
  if (notebook === null)
    throw new DoesNotFit(`${shown} is not a notebook that can be read. Use edit_file on its text.`);
  const { action, cell, kind } = change;
  const index = cell - 1;
  const present = notebook.cells[index];
  if (action === 'insert' ? cell > notebook.cells.length : present === undefined)
    throw new DoesNotFit(`${shown} has ${notebook.cells.length} cells, and no cell ${cell}; nothing was changed.`);
  if (action === 'insert' || present === undefined) {
    const id = createHash('sha256').update(text).update(JSON.stringify(change)).digest('hex').slice(0, 8);
    const hasIds = notebook.nbformat > 4 || (notebook.nbformat === 4 && notebook.nbformat_minor >= 5);
    return withValue(text, ['cells', cell], newCell(kind ?? 'code', change.newText, {}, hasIds ? id : undefined), true);
  }
  if (action === 'delete') return withoutCell(text, index);
  const source =
    action === 'replace'
      ? change.newText
      : replaced(joined(present.source), { ...change, all: false }, `cell ${cell} of ${shown}`);
  if (kind !== undefined && kind !== present.cell_type)
    return withValue(text, ['cells', index], newCell(kind, source, present.metadata, present.id));
  return withValue(text, ['cells', index, 'source'], typeof present.source === 'string' ? source : sourceLines(source));
}

/** With the keys in the order in which Jupyter writes them. */
function newCell(kind: string, source: string, metadata: unknown, id: unknown): JsonObject {
  return {
    cell_type: kind,
    ...(kind === 'code' ? { execution_count: null } : {}),
    ...(typeof id === 'string' ? { id } : {}),
    metadata: (metadata ?? {}) as JsonObject,
    ...(kind === 'code' ? { outputs: [] } : {}),
    source: sourceLines(source),
  };
}

function withValue(text: string, path: JSONPath, value: JsonValue, isArrayInsertion = false): string {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1];
  const formattingOptions =
    indent === undefined
      ? undefined
      : { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol: usualEnd(splitLines(text)) };
  const options = formattingOptions === undefined ? {} : { formattingOptions };
  return applyEdits(text, modify(text, path, value, { ...options, isArrayInsertion }));
}

/** The editing of the parser breaks files without line ends. */
function withoutCell(text: string, index: number): string {
  const tree = parseTree(text);
  const cells = (tree && findNodeAtLocation(tree, ['cells'])?.children) ?? [];
  const [before, cell, next] = [cells[index - 1], cells[index], cells[index + 1]];
  if (cell === undefined) return text;
  const end = cell.offset + cell.length;
  if (next !== undefined) return text.slice(0, cell.offset) + text.slice(next.offset);
  return text.slice(0, before === undefined ? cell.offset : before.offset + before.length) + text.slice(end);
}

function sourceLines(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== '');
}
