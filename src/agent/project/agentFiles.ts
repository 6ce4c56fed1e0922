import * as v from 'valibot';
import type { AgentHandoff, FileOrigin } from '../../transcript/contextFiles';
import type { AgentFolder } from './agentFolder';
import { listField, modelsOf, readFrontMatter, textField, type FrontMatter } from './frontMatter';
import { foreignNames, meantTools } from './foreignTools';
import { commandName } from './promptFiles';

/** An agent that a project or the user describes in a file: a kind of sub-agent, and one that the user can choose for a
 *  session. It never gets more than others. */
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
  /** Models that it asks for, the best first (`FileModels`). */
  readonly models: readonly string[];
  /** True when the user may call it, and when the model may. */
  readonly forUser: boolean;
  readonly forModel: boolean;
  /** True when the user may choose it for a session. */
  readonly forSessions: boolean;
  readonly handoffs: readonly AgentHandoff[];
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
  const forUser = read.fields['user-invocable'] !== false && read.fields['hidden'] !== true;
  return {
    name,
    description,
    path: folder.shown(path),
    body: read.body,
    ...toolsOf(read),
    models: modelsOf(read),
    forUser,
    forSessions: forUser && read.fields['mode'] !== 'subagent',
    handoffs: handoffsOf(read),
    forModel: read.fields['disable-model-invocation'] !== true && read.fields['mode'] !== 'primary',
    origin: folder.origin,
  };
}

const text = v.pipe(v.string(), v.trim());
const handoffSchema = v.object({
  label: v.pipe(text, v.nonEmpty(), v.maxLength(80)),
  agent: v.optional(text, ''),
  prompt: v.optional(v.pipe(text, v.maxLength(10_000)), ''),
  send: v.optional(v.boolean(), false),
});
/** Maximum buttons after an answer. */
const mostHandoffs = 8;
/** Names of Copilot for its usual agent. */
const usualNames = ['', 'agent', 'ask', 'edit'];

/** Entries that cannot be read are left out. */
function handoffsOf({ fields }: FrontMatter): readonly AgentHandoff[] {
  const { handoffs } = fields;
  return (Array.isArray(handoffs) ? handoffs : [])
    .flatMap((entry): AgentHandoff[] => {
      const read = v.safeParse(handoffSchema, entry);
      if (!read.success) return [];
      const agent = commandName(read.output.agent);
      return [{ ...read.output, agent: usualNames.includes(agent) ? null : agent }];
    })
    .slice(0, mostHandoffs);
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

/** Tools that the file names and that Hermes does not have. Tools of servers are known only in a turn. */
export function missingTools({ tools }: Pick<AgentFile, 'tools'>): readonly string[] {
  const own = (tools ?? []).filter((name) => !/^mcp__|\//.test(name));
  return meantTools(own, Object.keys(foreignNames)).unknown;
}
