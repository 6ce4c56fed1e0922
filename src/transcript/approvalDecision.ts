import * as v from 'valibot';
import { modes } from './approval';
import { inputAnswer } from './inputAnswer';

/** Validates an `ApprovalDecision`. `rule`: validates one rule. */
export const approvalDecision = (rule: v.GenericSchema<string>) =>
  v.variant('kind', [
    v.variant('scope', [
      v.object({
        kind: v.literal('allow'),
        scope: v.literal('once'),
        mode: v.exactOptional(v.picklist(modes)),
        together: v.exactOptional(v.literal(true)),
        answer: v.exactOptional(inputAnswer),
      }),
      v.object({ kind: v.literal('allow'), scope: v.picklist(['session', 'workspace', 'user']), rules: v.array(rule) }),
    ]),
    v.object({ kind: v.literal('deny'), reason: v.nullable(v.string()) }),
  ]);
