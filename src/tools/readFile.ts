import * as v from 'valibot';
import { imageMediaType } from '../transcript/imageFile';
import { isNotebook, notebookText } from './notebookText';
import type { ReadAccess } from './readAccess';
import { type AnyTool, defineTool, type ToolOutput, done, failed } from './tool';
import type { WorkspaceFiles } from './workspaceFiles';

/** Most lines of one call, so that the result fits a request next to a conversation. */
const maxLines = 2000;
/** Most characters of one line; minified files have lines of megabytes. */
const maxLineLength = 2000;
const maxBytes = 10 * 1024 * 1024;
const maxCharacters = 100_000;

/** Largest image that providers accept, in bytes. */
const maxImageBytes = 5 * 1024 * 1024;

const lineNumber = v.pipe(v.number(), v.integer(), v.minValue(1));

/** Reads a text file with line numbers, so that the model can name lines and request the next ones. */
export function readFileTool(files: WorkspaceFiles, access: ReadAccess): AnyTool {
  return defineTool({
    name: 'read_file',
    description:
      `Reads a text file and returns its lines numbered from 1 ("<number>\\t<text>"). Returns at most ${maxLines} ` +
      'lines; ask for a range with start_line and end_line to read more. A PNG, JPEG, GIF or WebP image is shown ' +
      'to you. A notebook is shown as its cells.',
    schema: v.object({
      path: v.pipe(v.string(), v.nonEmpty('is empty'), v.description('Relative to the open folder.')),
      start_line: v.optional(v.pipe(lineNumber, v.description('First line to return, from 1.'))),
      end_line: v.optional(v.pipe(lineNumber, v.description('Last line to return.'))),
    }),
    readOnly: true,
    asks: (input) => access.asks(input, input.path),
    run: async (input, signal) => {
      const { path, shown } = await access.place(input, input.path);
      const kind = await files.kindOf(path);
      if (kind === 'directory') return failed(`${shown} is a folder. Use list_directory to see what is in it.`);
      if (kind !== 'file') return failed(`${shown} is not a file, but a pipe, a device or the like.`);
      const size = await files.size(path);
      if (size > maxBytes)
        return failed(
          `${shown} has ${size} bytes; at most ${maxBytes} can be read. Use search_files to find the part you need.`,
        );
      const bytes = await files.read(path, signal);
      const mediaType = imageMediaType(bytes);
      if (mediaType !== null) return image(shown, mediaType, bytes);
      const text = decodeText(bytes);
      if (text === null) return failed(`${shown} is not a text file (${bytes.length} bytes).`);
      const content = (isNotebook(path) ? notebookText(text) : null) ?? text;
      return excerpt(shown, content, input.start_line ?? 1, input.end_line ?? Number.MAX_SAFE_INTEGER);
    },
  });
}

function excerpt(shown: string, text: string, from: number, to: number): ToolOutput {
  if (text === '') return done(`${shown} is empty.`, { path: shown, lines: 0 });
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  if (from > lines.length) return failed(`${shown} has ${lines.length} lines; line ${from} is past its end.`);
  if (to < from) return failed(`end_line (${to}) comes before start_line (${from}).`);
  const numbered: string[] = [];
  let characters = 0;
  let line = from;
  for (; line <= Math.min(to, lines.length) && numbered.length < maxLines; line++) {
    const full = lines[line - 1] ?? '';
    const shownPart =
      full.length > maxLineLength ? `${full.slice(0, maxLineLength)} … (${full.length} characters)` : full;
    const row = `${line}\t${shownPart}`;
    if (characters + row.length > maxCharacters && numbered.length > 0) break;
    characters += row.length;
    numbered.push(row);
  }
  const last = line - 1;
  const note =
    last < Math.min(to, lines.length)
      ? `\n\n(Lines ${from} to ${last} of ${lines.length}. Continue with start_line ${last + 1}.)`
      : '';
  return done(numbered.join('\n') + note, { path: shown, from, to: last, lines: lines.length });
}

function image(shown: string, mediaType: string, bytes: Uint8Array): ToolOutput {
  if (bytes.length > maxImageBytes)
    return failed(`${shown} is an image of ${bytes.length} bytes; at most ${maxImageBytes} can be shown.`);
  const images = [
    { kind: 'image', mediaType, dataBase64: Buffer.from(bytes).toString('base64'), name: shown },
  ] as const;
  return {
    outcome: 'done',
    text: `${shown} is an image (${mediaType}, ${bytes.length} bytes).`,
    details: { path: shown, image: mediaType },
    images,
  };
}

/** Decodes UTF-8 or UTF-16 (by its byte order mark). Null for a file that is not text. */
export function decodeText(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  if (bytes.subarray(0, 8192).includes(0)) return null;
  return new TextDecoder('utf-8').decode(bytes);
}
