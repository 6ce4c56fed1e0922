import { hintOf, readFrontMatter, textField } from './frontMatter';
import type { FileOrigin } from '../../transcript/contextFiles';
import type { AgentFolder } from './agentFolder';

/** Instructions for a kind of task. The model reads them when it gets such a task. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  /** Path of its SKILL.md, as it is shown. */
  readonly path: string;
  readonly body: string;
  /** Other files of the skill, as they are shown. */
  readonly files: readonly string[];
  readonly origin: FileOrigin;
  readonly argumentHint: string | null;
  /** True when the user may call it after a "/", and when the model may read it. */
  readonly forUser: boolean;
  readonly forModel: boolean;
  /** True when a sub-agent should do it. */
  readonly isForked: boolean;
}

const mostFiles = 40;

/** Reads the skills of one folder. */
export async function readSkills(folder: AgentFolder): Promise<readonly Skill[]> {
  const found = await Promise.all(
    folder.layout.skills.map(async (path) =>
      Promise.all((await folder.names(path, 'directory')).map((name) => readSkill(folder, `${path}/${name}`, name))),
    ),
  );
  return found.flat().filter((skill) => skill !== null);
}

async function readSkill(folder: AgentFolder, path: string, folderName: string): Promise<Skill | null> {
  const text = await folder.text(`${path}/SKILL.md`);
  if (text === null) return null;
  const read = await readFrontMatter(text);
  const description = textField(read, 'description');
  // Without a description of its use, a model would never read it.
  if (description === null || read.body === '') {
    folder.leave(`${path}/SKILL.md`, description === null ? 'description' : 'empty');
    return null;
  }
  const files = (await filesBelow(folder, path, 2)).filter((file) => file !== `${path}/SKILL.md`).slice(0, mostFiles);
  return {
    name: textField(read, 'name') ?? folderName,
    description,
    path: folder.shown(`${path}/SKILL.md`),
    body: read.body,
    files: files.map((file) => folder.shown(file)),
    origin: folder.origin,
    argumentHint: hintOf(read),
    forUser: read.fields['user-invocable'] !== false,
    forModel: read.fields['disable-model-invocation'] !== true,
    isForked: read.fields['context'] === 'fork',
  };
}

async function filesBelow(folder: AgentFolder, path: string, depth: number): Promise<readonly string[]> {
  const files = (await folder.names(path, 'file')).map((name) => `${path}/${name}`);
  if (depth === 0) return files;
  const below = await Promise.all(
    (await folder.names(path, 'directory')).map((name) => filesBelow(folder, `${path}/${name}`, depth - 1)),
  );
  return [...files, ...below.flat()];
}
