import type { FileOrigin } from '../../transcript/contextFiles';
import type { AgentFolder } from './agentFolder';
import { listField, readFrontMatter, textField, type FrontMatter } from './frontMatter';
import { commandName } from './promptFiles';

/** An agent that a project or the user describes in a file: a kind of sub-agent. It never gets more than others. */
export interface AgentFile {
  /** Letters, digits, dashes. */
  readonly name: string;
  readonly description: string;
  readonly path: string;
  /** Its instructions. */
  readonly body: string;
  /** Tools that it gets, as written. Null: all. */
  readonly tools: readonly string[] | null;
  readonly withoutTools: readonly string[];
  /** True when the user may call it, and when the model may. */
  readonly forUser: boolean;
  readonly forModel: boolean;
  readonly origin: FileOrigin;
}

/** Reads the agents of one folder: those of Claude Code, Copilot and opencode. */
export async function readAgents(folder: AgentFolder): Promise<readonly AgentFile[]> {
  const found = await Promise.all(
    folder.layout.agents.map(async (parent) => {
      const names = (await folder.names(parent, 'file')).filter((name) => name.endsWith('.md'));
      return Promise.all(names.map((name) => readAgent(folder, `${parent}/${name}`, name)));
    }),
  );
  return found.flat().filter((agent) => agent !== null);
}

async function readAgent(folder: AgentFolder, path: string, fileName: string): Promise<AgentFile | null> {
  const text = await folder.text(path);
  if (text === null) return null;
  const read = await readFrontMatter(text);
  const name = commandName(textField(read, 'name') ?? fileName.replace(/(?:\.agent)?\.md$/, ''));
  const description = textField(read, 'description');
  if (name === '' || read.body === '' || description === null) {
    folder.leave(path, name === '' ? 'format' : read.body === '' ? 'empty' : 'description');
    return null;
  }
  return {
    name,
    description,
    path: folder.shown(path),
    body: read.body,
    ...toolsOf(read),
    forUser: read.fields['user-invocable'] !== false && read.fields['hidden'] !== true,
    forModel: read.fields['disable-model-invocation'] !== true && read.fields['mode'] !== 'primary',
    origin: folder.origin,
  };
}

/** A list, a text with commas, or (opencode) a table of switches. */
function toolsOf(read: FrontMatter): Pick<AgentFile, 'tools' | 'withoutTools'> {
  const { tools } = read.fields;
  const without = listField(read, 'disallowedTools');
  if (typeof tools === 'object' && tools !== null && !Array.isArray(tools)) {
    const off = Object.entries(tools).flatMap(([name, isOn]) => (isOn === false ? [name] : []));
    return { tools: null, withoutTools: [...without, ...off] };
  }
  return { tools: tools === undefined || tools === null ? null : listField(read, 'tools'), withoutTools: without };
}
