/** Texts that entry points in the editor put into the composer. The user sees them, in their language, before
 *  sending. */
import type { Problem } from '../../tools/knowledge/editorKnowledge';
import { isSecret } from '../../tools/pathTreatment';
import { problemLine } from '../../tools/knowledge/overviewTools';
import type { DraftPart } from '../../transcript/draftPart';
import { withLines } from './mentionSource';

/** A piece of a file or of another named document. Lines count from 1. */
export interface QuotedCode {
  /** Path as shown to the user; relative to its open folder if it has one. */
  readonly shown: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  /** The editor's language id. Empty for plain text. */
  readonly language: string;
}

/** Maximum number of characters that are quoted. Longer code is only named: the agent can read it. */
const longestQuote = 20_000;

/** Composer input of an entry point: its text, and the attached parts. */
export interface AskedAbout {
  readonly text: string;
  readonly parts: readonly DraftPart[];
}

/** Attaches the code in its current state, and writes `lead` and the position. Only names the position if there is
 *  nothing to attach. */
export function aboutCode(lead: string, code: QuotedCode): AskedAbout {
  const { shown, text } = code;
  const label = placeOf(code);
  const isNothing = text.trim() === '' || text.length > longestQuote;
  // Attach nothing that may hold secrets; write it out, so that the user sees what is sent.
  const isSeen = isSecret(shown);
  const head = lead === '' ? (isNothing || isSeen ? `\`${label}\`` : '') : `${lead} \`${label}\``;
  if (isNothing) return { text: `${head}\n`, parts: [] };
  if (isSeen) return { text: `${head}\n${fenced(text, code.language)}\n`, parts: [] };
  return {
    text: head === '' ? '' : `${head}\n`,
    parts: [{ kind: 'attachment', source: `file:${label}`, label, text: text.replace(/\n$/, '') }],
  };
}

/** Writes the problems as text and attaches the code around them. */
export function aboutProblems(lead: string, code: QuotedCode, problems: readonly Problem[]): AskedAbout {
  const { text, parts } = aboutCode(lead, code);
  return { text: `${text}${problems.map((problem) => `- ${problemLine(problem, code.shown)}`).join('\n')}\n`, parts };
}

/** A file or folder that the user selected. */
export interface PointedAt {
  readonly shown: string;
  readonly isFolder: boolean;
  /** True in an open folder. Only such a file or folder is read when the prompt is sent. */
  readonly isInside: boolean;
}

/** Attaches files and folders of the open folders. Only names the others and those that may hold secrets. */
export function aboutFiles(targets: readonly PointedAt[]): AskedAbout {
  const isTaken = ({ shown, isInside }: PointedAt): boolean => isInside && !isSecret(shown);
  const named = targets.filter((place) => !isTaken(place)).map(({ shown }) => shown);
  const parts = targets.filter(isTaken).map(({ shown, isFolder }) => ({
    kind: 'mention' as const,
    source: `${isFolder ? 'folder' : 'file'}:${isFolder ? shown.replace(/\/$/, '') : shown}`,
    label: shown,
  }));
  return { text: named.length === 0 ? '' : filesPrompt(named), parts };
}

/** Attaches text selected in a terminal. */
export function aboutTerminal(label: string, text: string): AskedAbout {
  const trimmed = text
    .replace(/\r\n?/g, '\n')
    .replace(/[ \t]+$/gm, '')
    .replace(/^\n+|\n+$/g, '');
  return {
    text: '',
    parts: [
      {
        kind: 'attachment',
        source: 'terminal',
        label,
        text: trimmed.length > longestQuote ? `…\n${trimmed.slice(-longestQuote).toWellFormed()}` : trimmed,
      },
    ],
  };
}

function placeOf({ shown, startLine, endLine }: QuotedCode): string {
  return withLines(shown, { from: startLine, to: endLine });
}

/** Writes a single file or folder inline, several as a list. */
function filesPrompt(paths: readonly string[]): string {
  const [only] = paths;
  return only !== undefined && paths.length === 1
    ? `\`${only}\` `
    : `${paths.map((path) => `- \`${path}\``).join('\n')}\n`;
}

/** Wraps text in a fence that is longer than any run of backticks in it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}
