import type { ProjectContext } from './projectContext';
import type { RuleFile } from './ruleFiles';
import type { Skill } from './skills';

/** Maximum characters of one rules file, of all rules files, and of one skill's description. They are part of every
 *  request. */
const longest = { file: 20_000, all: 40_000, description: 300 } as const;

/** Returns the project section of the system prompt. Empty when there is none. Without tools, omits the parts that
 *  need tools. */
export function projectPrompt({ rules, skills }: ProjectContext, hasTools: boolean): string {
  const everywhere = rules.filter(({ appliesTo }) => appliesTo === null);
  const sections = [ruleSection(everywhere), ...(hasTools ? [scopedSection(rules), skillSection(skills)] : [])];
  return sections.filter((section) => section !== '').join('\n\n');
}

const ruleWords =
  'The people who work on the open folder have written these files for agents: follow them where they concern the task. What the person says in the conversation goes before them; where two of them differ, the earlier one holds.';

function ruleSection(rules: readonly RuleFile[]): string {
  if (rules.length === 0) return '';
  let room: number = longest.all;
  const told: string[] = [];
  const left: string[] = [];
  for (const { path, text } of rules) {
    const limit = Math.min(longest.file, room);
    // A short fragment of a file would read like the whole file.
    if (limit < text.length && limit < 1000) left.push(path);
    else {
      const kept = cut(text, limit);
      room -= Math.min(text.length, limit);
      told.push(`<rules file="${path.replaceAll('"', "'")}">\n${kept.replaceAll(/<(?=\/?rules\b)/gi, '‹')}\n</rules>`);
    }
  }
  const rest = left.length === 0 ? [] : [`Left out for their length, to be read with read_file: ${left.join(', ')}.`];
  return ['# Rules of the project', ruleWords, ...told, ...rest].join('\n\n');
}

function scopedSection(rules: readonly RuleFile[]): string {
  const scoped = rules.filter(({ appliesTo }) => appliesTo !== null);
  if (scoped.length === 0) return '';
  const lines = scoped.map(({ path, appliesTo }) => `- ${path}: ${short(appliesTo ?? '')}`);
  return `Rules for some files or tasks only. Read the file with read_file before you work on what it is for:\n${lines.join('\n')}`;
}

function skillSection(skills: readonly Skill[]): string {
  if (skills.length === 0) return '';
  const lines = skills.map(({ name, description }) => `- ${name}: ${short(description)}`);
  return `# Skills of the project\n\nInstructions for particular tasks. When a task is what one is for, read it with read_skill first, and follow it:\n${lines.join('\n')}`;
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, limit).replace(/[\ud800-\udbff]$/, '');
  return `${head}\n(… ${text.length - head.length} more characters; read_file has the rest.)`;
}

function short(text: string): string {
  return text.length <= longest.description
    ? text
    : `${text.slice(0, longest.description).replace(/[\ud800-\udbff]$/, '')}…`;
}
