import { t } from './localization';
import { toolDetails } from './toolDetails';
import type { HookRun } from '../transcript/hookRun';
import type { ToolResultPart } from '../transcript/part';

/** Maximum characters of a reason that stands on a call's line; a longer one gets a line of its own. */
const longestReason = 24;
/** Maximum characters of a reason that is shown. */
const longestNote = 200;

/** Reason why a call did not succeed. */
interface ToolReason {
  readonly text: string;
  /** True when it fits on the call's line. */
  readonly isShort: boolean;
}

const hookSentences: Readonly<
  Record<HookRun['outcome'], (run: { readonly hook: string; readonly text: string }) => string>
> = {
  blocked: (run) => t('Blocked by the hook {hook}: {text}', run),
  asked: (run) => t('The hook {hook} wants you to decide. {text}', run),
  changed: (run) => t('The hook {hook} changed the arguments. {text}', run),
  failed: (run) => t('The hook {hook} failed: {text}', run),
  passed: (run) => t('The hook {hook}: {text}', run),
};

/** What a hook did, in one line. */
export function hookSentence({ hook, outcome, text }: HookRun): string {
  return hookSentences[outcome]({ hook, text: text.replaceAll(/\s+/g, ' ').slice(0, longestNote) });
}

/** Returns the reason of a failed or denied call: the user's own words, or what the tool reported. Null when its
 *  state says everything. */
export function toolReason(result: ToolResultPart | null): ToolReason | null {
  const details = toolDetails(result);
  if (details?.kind === 'denied') return details.reason === null ? null : reasonOf(details.reason);
  // The end of a command says more than its text, and its last lines are shown.
  if (result?.outcome !== 'failed' || details?.kind === 'command') return null;
  return reasonOf(isMissing(result.text) ? t('not found') : firstSentence(result.text));
}

function reasonOf(text: string): ToolReason | null {
  const line = text.trim().split(/\s*\n/, 1)[0] ?? '';
  if (line === '') return null;
  return {
    text: line.length > longestNote ? `${line.slice(0, longestNote).trimEnd()}…` : line,
    isShort: line.length <= longestReason,
  };
}

/** True for the texts of tools that found nothing at the path they were given. */
function isMissing(text: string): boolean {
  return /^There is no (?:file|folder|file or folder)\b/.test(text);
}

function firstSentence(text: string): string {
  const sentence = /^.*?[.!?](?=\s|$)/s.exec(text.trim())?.[0] ?? text;
  return sentence.replace(/\.$/, '');
}
