import { type FrontMatter, hintOf, listField, modelsOf, readFrontMatter, textField } from './frontMatter';
import type { FileOrigin } from '../../transcript/contextFiles';
import type { AgentFolder, FolderLayout, Places } from './agentFolder';

/** A prompt that a project or the user keeps in a file, offered after a "/". */
export interface PromptFile {
  /** The name that the user types: letters, digits, dashes. */
  readonly name: string;
  readonly description: string | null;
  /** Hint for the text after the name, e.g. "[file]". */
  readonly argumentHint: string | null;
  readonly path: string;
  readonly body: string;
  readonly placeholders: Places;
  readonly origin: FileOrigin;
  /** Models that it asks for, the best first (`FileModels`). Default: none. */
  readonly models?: readonly string[];
  /** Absent: a prompt file. */
  readonly kind?: 'skill' | 'agent';
}

type PromptSource = FolderLayout['prompts'][number];

/** Reads the prompt files of one folder. If two have the same name, the first counts. */
export async function readPrompts(folder: AgentFolder): Promise<readonly PromptFile[]> {
  const found = await Promise.all(
    folder.layout.prompts.map(async (source) => {
      const names = (await folder.names(source.folder, 'file')).filter((name) => name.endsWith(source.ending));
      return Promise.all(names.map((name) => readPrompt(folder, name, source)));
    }),
  );
  return found.flat().filter((prompt) => prompt !== null);
}

async function readPrompt(
  folder: AgentFolder,
  fileName: string,
  { folder: parent, ending, places: placeholders }: PromptSource,
): Promise<PromptFile | null> {
  const path = `${parent}/${fileName}`;
  const text = await folder.text(path);
  if (text === null) return null;
  const read = await readFrontMatter(text);
  const name = commandName(textField(read, 'name') ?? fileName.slice(0, -ending.length));
  if (name === '' || read.body === '') {
    folder.leave(path, name === '' ? 'format' : 'empty');
    return null;
  }
  return {
    name,
    description: textField(read, 'description'),
    argumentHint: hintOf(read),
    path: folder.shown(path),
    body: `${read.body}${wishes(read)}`,
    placeholders,
    models: modelsOf(read),
    origin: folder.origin,
  };
}

/** What a prompt file says about its tools and mode, for the model. It grants nothing. */
function wishes(read: FrontMatter): string {
  const tools = listField(read, 'tools');
  const mode = textField(read, 'agent', 'mode');
  const only =
    tools.length === 0 ? '' : `\n\n(This is meant for these tools, as far as you have them: ${tools.join(', ')}.)`;
  return mode === 'ask' || mode === 'plan' ? `${only}\n\n(Only look and answer: change nothing.)` : only;
}

/** Characters of the longest name after a "/". */
const longestName = 200;

/** Name after a "/": letters, digits, dashes. */
export function commandName(written: string): string {
  return written
    .slice(0, longestName)
    .toLowerCase()
    .replaceAll(/[^\p{L}\d_-]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
}

/** Returns the text to send for a prompt that names a prompt file (`/review src/a.ts`): the file's text with the
 *  arguments filled in. Any other prompt is sent unchanged. The stored and shown text stays as the user wrote it. */
export function expandPrompt(text: string, prompts: readonly PromptFile[]): string {
  const { prompt, given } = calledPrompt(text, prompts);
  if (prompt === undefined) return text;
  const owner = prompt.origin === 'folder' ? "the project's" : "the person's own";
  return `(The person ran /${prompt.name}. What follows is ${owner} file ${prompt.path}.)\n\n${filled(prompt, given)}`;
}

/** The prompt file that a prompt names, and what the user typed after the name. */
export function calledPrompt(
  text: string,
  prompts: readonly PromptFile[],
): { readonly prompt: PromptFile | undefined; readonly given: string } {
  const match = /^\/([\p{L}\d_-]+)(?:\s+([^]*))?$/u.exec(text.trimEnd());
  return {
    prompt: prompts.find(({ name }) => name === match?.[1]?.toLowerCase()),
    given: match?.[2]?.trim() ?? '',
  };
}

/** Fills the arguments in. If the text has no placeholder for them, appends them. */
function filled({ body, placeholders }: PromptFile, given: string): string {
  const words = (given.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
  let used = false;
  const put = (text: string): string => {
    used = true;
    return text;
  };
  const text =
    placeholders === 'copilot'
      ? body.replaceAll(/\$\{input:[^}]*\}/g, () => put(given))
      : body.replaceAll(
          /\$ARGUMENTS\[(\d+)\]|\$ARGUMENTS\b|\$([1-9])(?!\d)/g,
          (_whole, index: string | undefined, place: string | undefined) => {
            const at = index === undefined ? Number(place) - 1 : Number(index);
            return put(Number.isNaN(at) ? given : (words[at] ?? ''));
          },
        );
  return used || given === '' ? text : `${text}\n\n${given}`;
}
