import { demoPrompts } from './demoPrompts';

/** A result of one of the agent's own tools, as sent to Demo. */
export interface DemoToolResult {
  readonly text: string;
  readonly isError: boolean;
}

/** Returns Demo's text about itself: it never pretends to think. */
export function honestAnswer(): string {
  return [
    'I am a script, not an AI, and I have no answer to that. Your prompt stays in this session, and everything around me is real: the tools, the storage, Stop.',
    'Three things I can do:',
    demoPrompts.map((prompt) => `- ${prompt}`).join('\n'),
    'For real answers connect a model: run **Hermes: Set Up Model…** to paste a key (OpenRouter, Anthropic, OpenAI, …) or to use a server on this machine such as Ollama.',
  ].join('\n\n');
}

/** Returns an answer about the result of `list_directory`. */
export function folderAnswer({ text, isError }: DemoToolResult): string {
  if (isError) return failedAnswer('list the folder', text);
  const entries = entriesOf(text);
  const folders = entries.filter((entry) => entry.endsWith('/'));
  const files = entries.filter((entry) => !entry.endsWith('/'));
  if (entries.length === 0) return 'I asked the `list_directory` tool, and this folder is empty.';
  return [
    `I asked the \`list_directory\` tool. This folder holds ${count(folders.length, 'folder')} and ${count(files.length, 'file')}.`,
    ...(folders.length === 0 ? [] : [`**Folders:** ${folders.map((folder) => `\`${folder}\``).join(', ')}`]),
    ...(files.length === 0 ? [] : [`**Files:** ${files.map(fileLink).join(', ')}`]),
    'I am a script: I can list and search, not explain. A real model could read these files for you.',
  ].join('\n\n');
}

interface Hit {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Returns an answer about the results of `search_files`, each line with a link. */
export function searchAnswer(query: string, { text, isError }: DemoToolResult): string {
  if (isError) return failedAnswer('search the folder', text);
  const hits = hitsOf(text);
  if (hits.length === 0) return `I searched the folder for ${code(query)} and found nothing.`;
  const files = new Set(hits.map(({ path }) => path)).size;
  const shown = hits
    .slice(0, 12)
    .map(({ path, line, text: found }) => `- [${path}:${line}](${linkTarget(path)}#L${line}): ${code(clip(found))}`);
  const rest =
    hits.length > shown.length ? [`… and ${hits.length - shown.length} more; the tool row above holds them all.`] : [];
  return [
    `I searched the folder for ${code(query)}: ${count(hits.length, 'line')} in ${count(files, 'file')}.`,
    shown.join('\n'),
    ...rest,
  ].join('\n\n');
}

/** Returns a long Markdown answer about the result of `list_directory`, to try scrolling, stopping and searching. */
export function longAnswer({ text, isError }: DemoToolResult): string {
  if (isError) return failedAnswer('list the folder', text);
  const entries = entriesOf(text);
  const rows = entries
    .slice(0, 20)
    .map((entry) => `| ${cell(entry)} | ${entry.endsWith('/') ? 'folder' : kindOf(entry)} |`);
  return [
    '# A long answer about this folder',
    `This text is a script, written so that there is something long to watch, to stop and to look for afterwards. Only the table below comes from your folder: the \`list_directory\` tool found ${count(entries.length, 'entry', 'entries')} in it.`,
    '## What is here',
    rows.length === 0 ? 'The folder is empty.' : ['| Name | Kind |', '| --- | --- |', ...rows].join('\n'),
    ...(entries.length > rows.length && rows.length > 0
      ? [`${entries.length - rows.length} more are not in the table.`]
      : []),
    '## What happens while you read this',
    'Each piece of this answer goes the same way:',
    [
      '1. It arrives from the model, here a script that sends a few words at a time.',
      '2. It is written to the session’s file on this disk, and the write is confirmed.',
      '3. Only then is it shown.',
    ].join('\n'),
    'So whatever you can read is already stored. Press **Stop** now, reload the window, or let the extension host die: the words above stay, in this order, once.',
    '## What you can try',
    [
      '- Stop in the middle of this sentence, then open the transcript: it ends where the panel ended.',
      '- Close the window and open it again. The session comes back with its text.',
      '- Type the next prompt while this one is still running. It waits in the queue, on disk as well.',
    ].join('\n'),
    'The transcript is an ordinary SQLite file. Another program can read it:',
    [
      '```sql',
      'SELECT role, content',
      '  FROM messages',
      ' WHERE active = 1',
      ' ORDER BY session_id, position;',
      '```',
    ].join('\n'),
    '## What a script cannot do',
    'It cannot read your files and explain them, follow a stack trace, or answer a question that it was not written for. For that, connect a model with **Hermes: Set Up Model…**. Until then nothing leaves this computer: Demo makes no network request.',
    '> The promise is the same for every model: what you have seen is already on disk.',
    'That is the end of the long answer.',
  ].join('\n\n');
}

function failedAnswer(what: string, reason: string): string {
  return `I tried to ${what}, and the tool said:\n\n> ${reason.replace(/\n/g, '\n> ')}`;
}

function entriesOf(text: string): readonly string[] {
  if (/ is empty\.$/.test(text)) return [];
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('('));
}

/** Parses the tool's own format: a line with the path, then "<number>: <text>" lines. */
function hitsOf(text: string): readonly Hit[] {
  return text.split('\n\n').flatMap((block) => {
    const [path, ...rows] = block.split('\n');
    return rows.flatMap((row) => {
      const match = /^(\d+): (.*)$/.exec(row);
      return match?.[1] === undefined || path === undefined
        ? []
        : [{ path, line: Number(match[1]), text: match[2] ?? '' }];
    });
  });
}

function kindOf(file: string): string {
  const extension = /\.([^.]+)$/.exec(file)?.[1];
  return extension === undefined ? 'file' : `${extension} file`;
}

function fileLink(file: string): string {
  return `[${file.replace(/[[\]\\]/g, '\\$&')}](${linkTarget(file)})`;
}

function linkTarget(path: string): string {
  return path
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'));
}

function cell(text: string): string {
  return code(text.replaceAll('|', '\\|'));
}

/** Returns a code span that may contain backticks. */
function code(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.includes('`') ? `\`\` ${line} \`\`` : `\`${line}\``;
}

function clip(text: string): string {
  const characters = Array.from(text);
  return characters.length > 120 ? `${characters.slice(0, 119).join('')}…` : text;
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
