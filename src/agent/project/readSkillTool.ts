import { posix } from 'node:path';
import * as v from 'valibot';
import { type AnyTool, defineTool, failed, done } from '../../tools/tool';
import type { Skill } from './skills';

export const readSkillName = 'read_skill';

/** A skill's instructions, with its other files by name. */
export function skillText({ body, files, path }: Skill): string {
  const text = body.replaceAll('${CLAUDE_SKILL_DIR}', posix.dirname(path));
  return files.length === 0
    ? text
    : `${text}\n\n(Files of this skill, to be read with read_file: ${files.join(', ')}.)`;
}

/** Tool that returns a skill's instructions. The system prompt lists the names and when to use each. */
export function readSkillTool(skills: readonly Skill[]): AnyTool {
  const names = skills.map(({ name }) => name);
  return defineTool({
    name: readSkillName,
    description:
      'Reads the instructions of a skill. Read a skill before you begin a task that it is for, and follow it.',
    schema: v.object({
      name: v.pipe(v.string(), v.metadata({ enum: names }), v.description('Name of the skill.')),
    }),
    readOnly: true,
    run: ({ name }) => {
      const skill =
        skills.find((known) => known.name === name) ??
        skills.find((known) => known.name.toLowerCase() === name.trim().toLowerCase());
      if (skill === undefined)
        return Promise.resolve(failed(`There is no skill "${name}". Skills: ${names.join(', ')}.`));
      return Promise.resolve(done(`(${skill.path})\n\n${skillText(skill)}`, { path: skill.path }));
    },
  });
}
