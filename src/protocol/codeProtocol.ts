import * as v from 'valibot';
import { maxCodeCharacters, maxReferenceCharacters, maxReferences } from './codeLimits';

/** Messages of a view about code and names in an answer. Part of the chat's and the transcript's protocols. */

const code = v.pipe(v.string(), v.maxLength(maxCodeCharacters));
/** Text after the opening fence: a language, perhaps a file name. */
const info = v.pipe(v.string(), v.maxLength(1000));

/** If one of these fails, a VS Code notification says why. */
export const codeCommands = {
  insertCode: v.object({ code }),
  /** Shows the change; writes nothing before the user confirms. */
  applyCode: v.object({ code, info }),
  newCodeFile: v.object({ code, info }),
  runCode: v.object({ code, info }),
  openSymbol: v.object({ name: v.pipe(v.string(), v.nonEmpty(), v.maxLength(maxReferenceCharacters)) }),
} as const;

export const codeRequests = {
  /** Finds the texts that name a file or a symbol of the open folders. Responds in the same order. */
  resolveReferences: v.object({
    texts: v.pipe(v.array(v.pipe(v.string(), v.maxLength(maxReferenceCharacters))), v.maxLength(maxReferences)),
  }),
} as const;

/** file: opened by `openLink`, with its line if the text names one · symbol: opened by `openSymbol` · null: it names
 *  nothing known. */
export type Reference =
  { readonly kind: 'file'; readonly href: string } | { readonly kind: 'symbol'; readonly name: string } | null;

export interface CodeResults {
  readonly resolveReferences: readonly Reference[];
}
