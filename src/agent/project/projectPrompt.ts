import type { ContextFile, FileOrigin } from '../../transcript/contextFiles';
import { estimateTokens } from '../../transcript/tokenEstimate';
import type { ProjectContext } from './projectContext';
import type { RuleFile } from './ruleFiles';
import type { Skill } from './skills';

/** Maximum characters of one rules file, of all rules files, and of one skill's description. They are part of every
 *  request. */
const longest = { file: 20_000, all: 40_000, description: 300 } as const;

interface FromSomewhere {
  readonly origin: FileOrigin;
}

const isOfFolder = ({ origin }: FromSomewhere): boolean => origin === 'folder';
const isPersonal = ({ origin }: FromSomewhere): boolean => origin !== 'folder';

const projectWords =
  'The people who work on the open folder have written these files for agents: follow them where they concern ' +
  'the task. What the person says in the conversation goes before them; where two of them differ, the earlier ' +
  'one holds.';
const personalWords =
  'The person keeps these files for agents, for all projects: follow them where they concern the task. What the ' +
  'person says in the conversation goes before them, and so do the rules of the project.';

/** Returns the part of the system prompt with rules and skills of the open folders and of the user. Empty when there
 *  is none. Without tools, omits the parts that need tools. */
export function projectPrompt({ rules, skills: all }: ProjectContext, hasTools: boolean): string {
  const skills = all.filter(({ forModel }) => forModel);
  const everywhere = keptRules(rules);
  const sections = [
    ruleSection('# Rules of the project', projectWords, everywhere.filter(isOfFolder)),
    ruleSection('# Rules of the person', personalWords, everywhere.filter(isPersonal)),
    ...(hasTools
      ? [
          scopedSection(rules),
          skillSection('# Skills of the project', skills.filter(isOfFolder)),
          skillSection('# Skills of the person', skills.filter(isPersonal)),
        ]
      : []),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

/** Returns what of these files every request contains, with estimated tokens. */
export function contextFiles({ rules, skills: all }: ProjectContext): readonly ContextFile[] {
  const skills = all.filter(({ forModel }) => forModel);
  const origins = [...new Set(skills.map(({ origin }) => origin))];
  return [
    ...keptRules(rules).map(({ path, origin, part }): ContextFile => ({
      kind: 'rules',
      path,
      origin,
      tokens: estimateTokens(part ?? path),
    })),
    ...origins.map((origin): ContextFile => {
      const own = skills.filter((skill) => skill.origin === origin);
      return { kind: 'skills', count: own.length, origin, tokens: estimateTokens(skillLines(own)) };
    }),
  ];
}

/** Rules that apply to everything, with the part of the text that is included. Null: there is no room for it. */
interface KeptRules extends RuleFile {
  readonly part: string | null;
}

/** Divides the room between the rules, in order. */
export function keptRules(rules: readonly RuleFile[]): readonly KeptRules[] {
  let budget: number = longest.all;
  return rules
    .filter(({ appliesTo }) => appliesTo === null)
    .map((rule) => {
      const limit = Math.min(longest.file, budget);
      // A short fragment of a file would read like the whole file.
      if (limit < rule.text.length && limit < 1000) return { ...rule, part: null };
      budget -= Math.min(rule.text.length, limit);
      return { ...rule, part: cut(rule.text, limit) };
    });
}

function ruleSection(title: string, words: string, rules: readonly KeptRules[]): string {
  if (rules.length === 0) return '';
  const sections = rules.flatMap(({ path, part }) =>
    part === null
      ? []
      : [`<rules file="${path.replaceAll('"', "'")}">\n${part.replaceAll(/<(?=\/?rules\b)/gi, '‹')}\n</rules>`],
  );
  const left = rules.filter(({ part }) => part === null).map(({ path }) => path);
  const leftOut =
    left.length === 0 ? [] : [`Left out for their length, to be read with read_file: ${left.join(', ')}.`];
  return [title, words, ...sections, ...leftOut].join('\n\n');
}

function scopedSection(rules: readonly RuleFile[]): string {
  const scoped = rules.filter(({ appliesTo }) => appliesTo !== null);
  if (scoped.length === 0) return '';
  const lines = scoped.map(({ path, appliesTo }) => `- ${path}: ${short(appliesTo ?? '')}`);
  return (
    'Rules for some files or tasks only. Read the file with read_file before you work on what it is for. Of rules ' +
    'for folders, those of the nearest folder hold:' +
    `\n${lines.join('\n')}`
  );
}

function skillSection(title: string, skills: readonly Skill[]): string {
  if (skills.length === 0) return '';
  return (
    `${title}\n\nInstructions for particular tasks. When a task is what one is for, read it with read_skill first, ` +
    `and follow it:\n${skillLines(skills)}`
  );
}

function skillLines(skills: readonly Skill[]): string {
  return skills.map(({ name, description }) => `- ${name}: ${short(description)}`).join('\n');
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
