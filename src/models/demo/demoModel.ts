import { t, shownList } from '../../base/translate';
import type { Clock } from '../../base/clock';
import { pause } from '../../base/pause';
import type { ChatModel, CompletedToolCall, ModelRequest, ModelStream, WireMessage } from '../chatModel';
import type { ModelInfo } from '../modelInfo';
import { free } from '../prices/priceSnapshot';
import { EventPump } from '../http/pump';
import { demoRequest, type DemoRequest, demoPrompts } from './demoPrompts';

export const demoInfo: ModelInfo = {
  ref: 'Demo/script',
  provider: 'Demo',
  id: 'script',
  label: 'Demo',
  get destination() {
    return t('Runs offline, sends nothing');
  },
  contextWindow: null,
  allocatedContext: null,
  tools: true,
  images: false,
  efforts: ['default'],
  price: free,
  warnings: [],
};

/** Milliseconds between deltas: slow enough to read along, and to stop. */
const paceMs = 30;
const charactersPerDelta = 12;
const uncounted = { usage: null, requestId: null };

/** Demo's next step: a call of one of the agent's tools, or its answer. */
type Step =
  | { readonly kind: 'call'; readonly name: string; readonly arguments: string }
  | { readonly kind: 'say'; readonly text: string };

/** Built in, offline, the same every time, and honest about it. It learns about the folder only through the agent's
 *  own tools, so its calls, their storage and their rows in the panel are real. */
export class DemoModel implements ChatModel {
  readonly info = demoInfo;

  constructor(private readonly clock: Clock) {}

  stream(request: ModelRequest, signal: AbortSignal): ModelStream {
    const pump = new EventPump();
    this.answer(request, signal, pump).catch((error: unknown) =>
      pump.end({
        ...uncounted,
        outcome: 'failed',
        failure: {
          cause: 'unknown',
          sentence: t('Demo failed. Your prompt is saved. Retry, or choose another model.'),
          technical: error instanceof Error ? (error.stack ?? error.message) : String(error),
        },
      }),
    );
    return pump.stream;
  }

  private async answer(request: ModelRequest, signal: AbortSignal, pump: EventPump): Promise<void> {
    const step = nextStep(request);
    if (step.kind === 'call') {
      if (!(await pause(this.clock, paceMs, signal))) return pump.end({ ...uncounted, outcome: 'aborted' });
      const call: CompletedToolCall = {
        callId: `demo_${Math.round(this.clock.now() * 1000).toString(36)}`,
        name: step.name,
        arguments: step.arguments,
      };
      const { callId, name } = call;
      pump.append({ kind: 'toolCallProgress', callId, name, characters: call.arguments.length });
      const finish = { unified: 'toolCalls', raw: 'tool_calls' } as const;
      return pump.end({ ...uncounted, outcome: 'complete', finish, toolCalls: [call], empty: 'no' });
    }
    for (const text of deltas(step.text)) {
      if (!(await pause(this.clock, paceMs, signal))) return pump.end({ ...uncounted, outcome: 'aborted' });
      pump.append({ kind: 'text', text });
    }
    pump.append({ kind: 'partEnd', of: 'text' });
    const finish = { unified: 'stop', raw: 'stop' } as const;
    pump.end({ ...uncounted, outcome: 'complete', finish, toolCalls: [], empty: 'no' });
  }
}

function nextStep(request: ModelRequest): Step {
  const prompt = request.messages.findLastIndex(({ role }) => role === 'user');
  const asked = demoRequest(promptText(request.messages[prompt]));
  const result = lastResult(request.messages.slice(prompt + 1));
  return result === null ? firstStep(asked, request) : { kind: 'say', text: answerTo(asked, result) };
}

function firstStep(asked: DemoRequest, request: ModelRequest): Step {
  const hasTool = (name: string): boolean => request.tools.some((tool) => tool.name === name);
  if (asked.kind === 'search' && hasTool('search_files'))
    return { kind: 'call', name: 'search_files', arguments: JSON.stringify({ query: asked.query }) };
  if ((asked.kind === 'folder' || asked.kind === 'long') && hasTool('list_directory'))
    return { kind: 'call', name: 'list_directory', arguments: JSON.stringify({ path: '.' }) };
  if (asked.kind === 'long') return { kind: 'say', text: longAnswer({ text: '', isError: false }) };
  return { kind: 'say', text: honestAnswer() };
}

function answerTo(asked: DemoRequest, result: DemoToolResult): string {
  switch (asked.kind) {
    case 'folder':
      return folderAnswer(result);
    case 'search':
      return searchAnswer(asked.query, result);
    case 'long':
      return longAnswer(result);
    case 'other':
      return honestAnswer();
  }
}

function promptText(message: WireMessage | undefined): string {
  if (message?.role !== 'user') return '';
  return message.content.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
}

function lastResult(messages: readonly WireMessage[]): DemoToolResult | null {
  const last = messages.findLast((message) => message.role === 'tool');
  return last?.role === 'tool' ? (last.results.at(-1) ?? null) : null;
}

/** Splits at spaces into pieces of about a dozen characters. Joined, they are the text again. */
function deltas(text: string): readonly string[] {
  const pieces: string[] = [];
  for (const word of text.split(/(?<=\s)/)) {
    const last = pieces.at(-1);
    if (last !== undefined && last.length + word.length <= charactersPerDelta) pieces[pieces.length - 1] = last + word;
    else pieces.push(word);
  }
  return pieces;
}

/** A result of one of the agent's own tools, as sent to Demo. */
interface DemoToolResult {
  readonly text: string;
  readonly isError: boolean;
}

/** Returns Demo's text about itself: it never pretends to think. */
function honestAnswer(): string {
  return [
    t(
      'I am a script, not an AI, and I have no answer to that. Your prompt stays in this session, and everything around me is real: the tools, the storage, Stop.',
    ),
    t('Three things I can do:'),
    demoPrompts()
      .map((prompt) => `- ${prompt}`)
      .join('\n'),
    t(
      'For real answers connect a model: run **Hermes: Set Up Model…** to paste a key (OpenRouter, Anthropic, OpenAI, …) or to use a server on this machine such as Ollama.',
    ),
  ].join('\n\n');
}

/** Returns an answer about the result of `list_directory`. */
function folderAnswer({ text, isError }: DemoToolResult): string {
  if (isError) return quoted(t('I tried to list the folder, and the tool said:'), text);
  const entries = entriesOf(text);
  const folders = entries.filter((entry) => entry.endsWith('/'));
  const files = entries.filter((entry) => !entry.endsWith('/'));
  if (entries.length === 0) return t('I asked the `list_directory` tool, and this folder is empty.');
  return [
    t('I asked the `list_directory` tool. This folder holds {folders} and {files}.', {
      folders: folders.length === 1 ? t('1 folder') : t('{count} folders', { count: folders.length }),
      files: fileCount(files.length),
    }),
    ...(folders.length === 0
      ? []
      : [t('**Folders:** {folders}', { folders: shownList(folders.map((folder) => `\`${folder}\``)) })]),
    ...(files.length === 0 ? [] : [t('**Files:** {files}', { files: shownList(files.map(fileLink)) })]),
    t('I am a script: I can list and search, not explain. A real model could read these files for you.'),
  ].join('\n\n');
}

interface Hit {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Returns an answer about the results of `search_files`, each line with a link. */
function searchAnswer(query: string, { text, isError }: DemoToolResult): string {
  if (isError) return quoted(t('I tried to search the folder, and the tool said:'), text);
  const hits = hitsOf(text);
  if (hits.length === 0) return t('I searched the folder for {query} and found nothing.', { query: code(query) });
  const files = new Set(hits.map(({ path }) => path)).size;
  const shown = hits
    .slice(0, 12)
    .map(({ path, line, text: found }) => `- [${path}:${line}](${linkTarget(path)}#L${line}): ${code(clip(found))}`);
  const rest =
    hits.length > shown.length
      ? [t('… and {count} more; the tool row above holds them all.', { count: hits.length - shown.length })]
      : [];
  return [
    t('I searched the folder for {query}: {lines} in {files}.', {
      query: code(query),
      lines: hits.length === 1 ? t('1 line') : t('{count} lines', { count: hits.length }),
      files: fileCount(files),
    }),
    shown.join('\n'),
    ...rest,
  ].join('\n\n');
}

/** Returns a long Markdown answer about the result of `list_directory`, to try scrolling, stopping and searching. */
function longAnswer({ text, isError }: DemoToolResult): string {
  if (isError) return quoted(t('I tried to list the folder, and the tool said:'), text);
  const entries = entriesOf(text);
  const rows = entries
    .slice(0, 20)
    .map((entry) => `| ${cell(entry)} | ${entry.endsWith('/') ? t('folder') : kindOf(entry)} |`);
  return [
    `# ${t('A long answer about this folder')}`,
    t(
      'This text is a script, written so that there is something long to watch, to stop and to look for afterwards. Only the table below comes from your folder: the `list_directory` tool found {entries} in it.',
      { entries: entries.length === 1 ? t('1 entry') : t('{count} entries', { count: entries.length }) },
    ),
    `## ${t('What is here')}`,
    rows.length === 0
      ? t('The folder is empty.')
      : [`| ${t('Name')} | ${t('Kind')} |`, '| --- | --- |', ...rows].join('\n'),
    ...(entries.length > rows.length && rows.length > 0
      ? [t('{count} more are not in the table.', { count: entries.length - rows.length })]
      : []),
    `## ${t('What happens while you read this')}`,
    t('Each piece of this answer goes the same way:'),
    [
      `1. ${t('It arrives from the model, here a script that sends a few words at a time.')}`,
      `2. ${t('It is written to the session’s file on this disk, and the write is confirmed.')}`,
      `3. ${t('Only then is it shown.')}`,
    ].join('\n'),
    t(
      'So whatever you can read is already stored. Press **Stop** now, reload the window, or let the extension host die: the words above stay, in this order, once.',
    ),
    `## ${t('What you can try')}`,
    [
      `- ${t('Stop in the middle of this sentence, then open the transcript: it ends where the panel ended.')}`,
      `- ${t('Close the window and open it again. The session comes back with its text.')}`,
      `- ${t('Type the next prompt while this one is still running. It waits in the queue, on disk as well.')}`,
    ].join('\n'),
    t('The transcript is an ordinary SQLite file. Another program can read it:'),
    [
      '```sql',
      'SELECT role, content',
      '  FROM messages',
      ' WHERE active = 1',
      ' ORDER BY session_id, position;',
      '```',
    ].join('\n'),
    `## ${t('What a script cannot do')}`,
    t(
      'It cannot read your files and explain them, follow a stack trace, or answer a question that it was not written for. For that, connect a model with **Hermes: Set Up Model…**. Until then nothing leaves this computer: Demo makes no network request.',
    ),
    `> ${t('The promise is the same for every model: what you have seen is already on disk.')}`,
    t('That is the end of the long answer.'),
  ].join('\n\n');
}

function quoted(lead: string, reason: string): string {
  return `${lead}\n\n> ${reason.replace(/\n/g, '\n> ')}`;
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
  return extension === undefined ? t('file') : t('{extension} file', { extension });
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

function fileCount(count: number): string {
  return count === 1 ? t('1 file') : t('{count} files', { count });
}
