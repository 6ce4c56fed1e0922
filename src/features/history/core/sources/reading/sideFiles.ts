import { t } from '../../../../../base/translate';
import type { ToolResultPart } from '../../../../../transcript/part';
import type { ForeignMessage } from '../foreign';
import type { ReadEvent } from '../historySource';
import { beginning, type HistoryFiles } from './historyFiles';

/** Bytes of an output that are taken in: the model gets them when the session is continued. */
const mostBytes = 100_000;
/** In the words of Claude Code and of opencode. */
const pointer = /\b(?:Full output saved to|Output has been saved to):? *([^\n]+)/i;
const mark = '\n\n[Full output]\n';

/** Adds the large outputs of tools that a program keeps in files of their own. Only the name in such a pointer counts:
 *  the file is looked for in `folders`, one in the other below `root`, and links are not followed. */
export async function* withSideFiles(
  files: HistoryFiles,
  events: AsyncIterable<ReadEvent>,
  root: string,
  folders: readonly string[],
): AsyncGenerator<ReadEvent> {
  for await (const event of events) {
    const isPointing =
      event.kind === 'message' &&
      event.message.parts.some((part) => part.kind === 'toolResult' && pointer.test(part.text));
    yield isPointing ? { ...event, message: await filled(files, event.message, root, folders) } : event;
  }
}

async function filled(
  files: HistoryFiles,
  message: ForeignMessage,
  root: string,
  folders: readonly string[],
): Promise<ForeignMessage> {
  const parts: ForeignMessage['parts'][number][] = [];
  const omitted = [...(message.omitted ?? [])];
  for (const part of message.parts) {
    const name = part.kind === 'toolResult' ? pointer.exec(part.text)?.[1]?.trim().split(/[/\\]/).at(-1) : undefined;
    if (part.kind !== 'toolResult' || name === undefined) {
      parts.push(part);
      continue;
    }
    const read = await outputIn(files, part, root, [...folders, name]);
    parts.push(read.part);
    omitted.push(...read.omitted);
  }
  return { ...message, parts, omitted };
}

async function outputIn(
  files: HistoryFiles,
  part: ToolResultPart,
  root: string,
  names: readonly string[],
): Promise<{ readonly part: ToolResultPart; readonly omitted: readonly string[] }> {
  const name = names.at(-1) ?? '';
  let path = root;
  for (const [index, next] of names.entries()) {
    const kind = index === names.length - 1 ? 'file' : 'folder';
    const entries = await files.list(path).catch(() => []);
    if (!entries.some((entry) => entry.name === next && entry.kind === kind))
      return { part, omitted: [t('The full output of a tool is missing: {name}.', { name })] };
    path = `${path}/${next}`;
  }
  const size = (await files.stat(path))?.size ?? 0;
  const text = (await beginning(files, path, mostBytes)).toString('utf8');
  const cut = t('Of the output of a tool in {name}, {kept} of {bytes} bytes were taken in.', {
    name,
    kept: String(mostBytes),
    bytes: String(size),
  });
  return { part: { ...part, text: `${part.text}${mark}${text}` }, omitted: size > mostBytes ? [cut] : [] };
}

/** The text as the program stores it in the session: the other file may be gone at the next import. */
export function withoutSideFile(text: string): string {
  return pointer.test(text.slice(0, 10_000)) ? (text.split(mark, 1)[0] ?? text) : text;
}
