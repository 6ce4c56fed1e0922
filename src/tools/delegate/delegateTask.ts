import * as v from 'valibot';
import { type AnyTool, defineTool, type ToolOutput, failed } from '../tool';
import type { DelegatedWork } from '../delegation';

export const delegateToolName = 'delegate_task';

const longestTask = 20_000;
const longestTitle = 80;
/** Limit for the sub-agent's last answer, in characters. */
const longestAnswer = 20_000;

const text = (most: number) =>
  v.pipe(v.string(), v.trim(), v.maxLength(most, `has more than ${most} characters: shorten it`));

/** A kind of sub-agent that a file describes. */
interface SubAgentType {
  readonly name: string;
  readonly description: string;
}

/** Hands a task to a sub-agent. The runner of the call provides the implementation (`ToolCallContext.delegate`).
 *  This tool only defines the model's input and output. */
export function delegateTaskTool(types: readonly SubAgentType[] = []): AnyTool {
  return defineTool({
    name: delegateToolName,
    description: [
      'Hands a task to a sub-agent, which has your tools and comes back with one answer. Use it for work that ' +
        'takes many steps of which only the outcome matters:',
      'looking through a large part of the code, one of several independent changes. It sees nothing of this ' +
        'conversation, so the task and the context have to say everything: files, names, what is wanted back.',
      'Several tasks run side by side when an answer calls this tool alone; give them work that does not touch ' +
        'the same files. What it says is a report, not proof: check what matters.',
    ].join(' '),
    schema: v.object({
      task: v.pipe(text(longestTask), v.nonEmpty('is empty')),
      context: v.optional(v.pipe(text(longestTask), v.description('Paths, findings, decisions.')), ''),
      title: v.optional(
        v.pipe(text(longestTitle), v.description('The task in three to six words, for the person.')),
        '',
      ),
      read_only: v.optional(v.pipe(v.boolean(), v.description('It gets only tools that look.')), false),
      agent: v.optional(
        v.pipe(
          v.picklist(
            types.map(({ name }) => name),
            'is none of the agents',
          ),
          v.description(types.map(({ name, description }) => `${name}: ${description.slice(0, 300)}`).join('\n')),
        ),
      ),
    }),
    // Each of its calls is judged in the sub-agent.
    readOnly: false,
    delegates: true,
    run: async ({ task, context, title, read_only: readOnly, agent = null }, signal, call) => {
      if (call.delegate === undefined) return failed('No sub-agent can be started here. Do the task yourself.');
      return outputOf(
        await call.delegate(
          { task, context: context === '' ? null : context, title: title === '' ? null : title, readOnly, agent },
          signal,
        ),
      );
    },
  });
}

function outputOf(work: DelegatedWork): ToolOutput {
  const { sessionId, title, turns, ms, usage } = work;
  const tokens = usage === null ? null : (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  return {
    outcome: work.outcome === 'complete' ? 'done' : work.outcome,
    text: [answerOf(work), howItEnded(work)].filter((part) => part !== '').join('\n\n'),
    details: { kind: 'delegate', sessionId, title, turns, ms, tokens },
  };
}

function answerOf({ answer }: DelegatedWork): string {
  if (answer.length <= longestAnswer) return answer;
  return (
    `${answer.slice(0, longestAnswer).toWellFormed()}\n\n(Its answer goes on: ${answer.length - longestAnswer} of ` +
    `${answer.length} characters are left out here.)`
  );
}

/** Note about the end of the work; empty for an answer that ended normally. */
function howItEnded({ outcome, stopReason, answer, problem }: DelegatedWork): string {
  const ending = endText(outcome, stopReason, problem);
  if (ending === null) return answer === '' ? '(The sub-agent ended without a word.)' : '';
  const said = answer === '' ? ' It had said nothing by then.' : ' What it said until then stands above.';
  return `(${ending}${said}${outcome === 'complete' ? '' : ' What it changed stays changed.'})`;
}

function endText(
  outcome: DelegatedWork['outcome'],
  stopReason: DelegatedWork['stopReason'],
  problem: string | null,
): string | null {
  switch (stopReason) {
    case 'stop':
      return null;
    case 'length':
      return 'The sub-agent reached its output limit.';
    case 'iterations':
      return 'The sub-agent used up the requests it may make, so its work may not be done.';
    case 'spendingLimit':
      return 'The session reached the spending limit of the user, so the sub-agent stopped. Its work is not done.';
    case 'refusal':
      return 'The sub-agent declined the request.';
    case 'user':
      return 'The person stopped the sub-agent.';
    case 'newPrompt':
      return 'The sub-agent was stopped: the person sent a newer message.';
    case 'windowClosed':
    case 'crash':
      return 'The sub-agent was cut off: the window went away.';
    default:
      return outcome === 'failed'
        ? `The sub-agent failed${problem === null ? '.' : `: ${problem}`}`
        : "The connection to the sub-agent's model was lost.";
  }
}
