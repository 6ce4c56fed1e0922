import * as v from 'valibot';
import { type AnyTool, defineTool, done } from '../tool';

export const exitPlanModeName = 'exit_plan_mode';

const longestPlan = 20_000;

/** Presents a plan to the user. The caller that asks for approval applies its effect (the session's mode). The plan
 *  runs only after approval; a refusal returns its reason. */
export function exitPlanModeTool(): AnyTool {
  return defineTool({
    name: exitPlanModeName,
    description: [
      'Only in Plan mode: presents your finished plan to the person and asks whether it may be carried out. ' +
        'The plan is Markdown: what will change, in which files, in what order,',
      'and how it will be checked. If it is refused, revise it with the reason given and present it again. ' +
        'Outside Plan mode there is nothing to ask: do the work.',
    ].join(' '),
    schema: v.object({
      plan: v.pipe(
        v.string(),
        v.trim(),
        v.nonEmpty('is empty'),
        v.maxLength(longestPlan, `has more than ${longestPlan} characters: shorten it`),
      ),
    }),
    readOnly: false,
    asks: async ({ plan }) => ({ access: { kind: 'plan' }, preview: plan }),
    run: async ({ plan }) =>
      done(
        'The person approved the plan. Plan mode is over: carry the plan out now. Changes and commands may still ' +
          'be asked about one by one.',
        { kind: 'plan', plan },
      ),
  });
}
