import { shownList, t } from '../../../base/translate';
import { type AgentFile, missingTools } from '../../../agent/project/agentFiles';
import { foreignNames, meantTools } from '../../../agent/project/foreignTools';
import type { ProjectContext } from '../../../agent/project/projectContext';
import { keptRules } from '../../../agent/project/projectPrompt';
import type { FileModel } from '../../../models/catalog/fileModels';
import { leftSentence } from '../../../transcript/contextFiles';
import { estimateTokens } from '../../../transcript/contextUse';

/** A part of the report: a title, a sentence that says what these files may do, and a table. Without rows it is left
 *  out. */
export interface ReportSection {
  readonly title: string;
  readonly about: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Finds what is used of the models that a file names. */
export type ModelOf = (names: readonly string[]) => FileModel;

/** Every file for agents that was found, as Markdown: how each is used, its size in tokens, what it may do, and why
 *  some are not used. */
export function readHereReport(
  context: ProjectContext,
  isTrusted: boolean,
  more: readonly ReportSection[],
  modelOf: ModelOf,
): string {
  const sections = [...ownSections(context, modelOf), ...more].filter(({ rows }) => rows.length > 0);
  return [
    `# ${t('What Hermes Read Here')}`,
    ...(isTrusted ? [] : [t('This workspace is not trusted, so no file of the open folders is read.')]),
    t('The agent gets these files. Changes count from the next prompt on. Tokens are estimated.'),
    ...(sections.length === 0 ? [t('No files for agents were found.')] : []),
    ...sections.map(({ title, about, head, rows }) => `## ${title}\n\n${about}\n\n${table(head, rows)}`),
    ...(context.left.length === 0
      ? []
      : [`## ${t('Found and Not Used')}`, context.left.map((file) => `- ${plain(leftSentence(file, t))}`).join('\n')]),
    '',
  ].join('\n\n');
}

function ownSections(context: ProjectContext, modelOf: ModelOf): readonly ReportSection[] {
  const file = t('File');
  const tokens = t('Tokens');
  const { rules, skills, agents, prompts } = context;
  const named = ({ path, imports = [] }: (typeof rules)[number]): string => [path, ...imports].join(', ');
  return [
    {
      title: t('Rules'),
      about: t('Text for the model. Rules can’t run or allow anything; what you say comes first.'),
      head: [file, t('Used'), tokens],
      rows: [
        ...keptRules(rules).map((rule) => [
          named(rule),
          rule.part === null ? t('Only named: there is no room for it') : t('In every request'),
          count(rule.part ?? rule.text),
        ]),
        ...rules
          .filter(({ appliesTo }) => appliesTo !== null)
          .map((rule) => [
            named(rule),
            t('The model reads it for: {scope}', { scope: rule.appliesTo ?? '' }),
            count(rule.text),
          ]),
      ],
    },
    {
      title: t('Skills'),
      about: t(
        'Instructions that the model reads when a task needs them. Their allowed-tools grant nothing: you are asked as always.',
      ),
      head: [file, t('Name'), t('Used'), tokens],
      rows: skills.map(({ path, name, body, forUser, forModel }) => [
        path,
        name,
        usedBy(forUser, forModel),
        count(body),
      ]),
    },
    {
      title: t('Agents'),
      about: t(
        'Each of their calls is asked for as always. A model counts only if the provider that you chose lists it.',
      ),
      head: [file, t('Name'), t('Used'), t('Tools'), t('Model'), tokens],
      rows: agents.map((agent) => [
        agent.path,
        agent.name,
        usedBy(agent.forUser, agent.forModel),
        toolsOf(agent),
        modelText(modelOf(agent.models)),
        count(agent.body),
      ]),
    },
    {
      title: t('Prompt Files'),
      about: t('Text that is sent when you type the name.'),
      head: [file, t('Name'), t('Model'), tokens],
      rows: prompts.map(({ path, name, body, models = [] }) => [
        path,
        `/${name}`,
        modelText(modelOf(models)),
        count(body),
      ]),
    },
  ];
}

function usedBy(forUser: boolean, forModel: boolean): string {
  if (forUser && forModel) return t('By you and the model');
  return forUser ? t('Only by you') : forModel ? t('Only by the model') : t('Not used');
}

/** The tools of an agent. Names that mean none of Hermes's own are named. Tools of servers are known only in a turn. */
function toolsOf({ tools, withoutTools }: AgentFile): string {
  const without = withoutTools.length === 0 ? '' : ` − ${withoutTools.join(', ')}`;
  if (tools === null) return `${t('All')}${without}`;
  const { names } = meantTools(tools, Object.keys(foreignNames));
  const unknown = missingTools({ tools });
  const missing = unknown.length === 0 ? '' : ` (${t('not available: {names}', { names: shownList(unknown) })})`;
  return `${[...names].join(', ')}${without}${missing}`;
}

function modelText(model: FileModel): string {
  switch (model.kind) {
    case 'inherit':
      return t('That of the session');
    case 'model':
      return model.ref;
    default:
      return model.sentence;
  }
}

function count(text: string): string {
  return String(estimateTokens(text));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(plain).join(' | ')} |`;
  return [line(head), `|${head.map(() => ' --- |').join('')}`, ...rows.map(line)].join('\n');
}

/** Text of somebody else's file as plain text of Markdown, in one line. */
function plain(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').replaceAll(/[\\`*_{}[\]<>#|~!]/g, String.raw`\$&`);
}
