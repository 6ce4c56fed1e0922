import * as v from 'valibot';
import { maxCodeCharacters, maxReferenceCharacters, maxReferences } from './codeLimits';

/** What a view says about code and names in an answer. Part of what the chat and the transcript say. */

const code = v.pipe(v.string(), v.maxLength(maxCodeCharacters));
/** What stands behind the fence: a language, maybe a file's name. */
const info = v.pipe(v.string(), v.maxLength(1000));

/** Each is done, or a notification of the editor says why not. */
export const codeCommands = {
  insertCode: v.object({ code }),
  /** Shows what would change; nothing is written before the person has said so. */
  applyCode: v.object({ code, info }),
  newCodeFile: v.object({ code, info }),
  runCode: v.object({ code, info }),
  openSymbol: v.object({ name: v.pipe(v.string(), v.nonEmpty(), v.maxLength(maxReferenceCharacters)) }),
} as const;

export const codeRequests = {
  /** Which of these texts name a file or a symbol of the open folders. Answers in the same order. */
  resolveReferences: v.object({
    texts: v.pipe(v.array(v.pipe(v.string(), v.maxLength(maxReferenceCharacters))), v.maxLength(maxReferences)),
  }),
} as const;

/** file: opened by `openLink`, with its line where the text names one · symbol: opened by `openSymbol` · null: it names nothing that is known. */
export type Reference =
  { readonly kind: 'file'; readonly href: string } | { readonly kind: 'symbol'; readonly name: string } | null;

export interface CodeResults {
  readonly resolveReferences: readonly Reference[];
}
