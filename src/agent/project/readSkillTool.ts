import * as v from 'valibot';
import { type AnyTool, defineTool } from '../../tools/tool';
import type { Skill } from './skills';

export const readSkillName = 'read_skill';

/** Tool that returns a skill's instructions. The system prompt lists the names and when to use each. */
export function readSkillTool(skills: readonly Skill[]): AnyTool {
  const names = skills.map(({ name }) => name);
  return defineTool({
    name: readSkillName,
    description:
      'Reads the instructions of a skill. Read a skill before you begin a task that it is for, and follow it.',
    parameters: {
      type: 'object',
      properties: { name: { type: 'string', enum: names, description: 'Name of the skill.' } },
      required: ['name'],
    },
    schema: v.object({ name: v.string() }),
    readOnly: true,
    run: ({ name }) => {
      const skill =
        skills.find((known) => known.name === name) ??
        skills.find((known) => known.name.toLowerCase() === name.trim().toLowerCase());
      if (skill === undefined)
        return Promise.resolve({
          outcome: 'failed',
          text: `There is no skill "${name}". Skills: ${names.join(', ')}.`,
        });
      const files =
        skill.files.length === 0
          ? ''
          : `\n\n(Files of this skill, to be read with read_file: ${skill.files.join(', ')}.)`;
      return Promise.resolve({
        outcome: 'done',
        text: `(${skill.path})\n\n${skill.body}${files}`,
        details: { path: skill.path },
      });
    },
  });
}
