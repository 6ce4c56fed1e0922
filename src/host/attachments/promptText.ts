/** What entry points in the editor put into the composer. The person sees it before they send it, in their language. */
import type { Problem } from '../../tools/knowledge/editorKnowledge';
import { isSecret } from '../../tools/sensitivePaths';
import { problemLine } from '../../tools/knowledge/overviewTools';
import type { DraftPart } from '../../transcript/draftPart';
import { withLines } from './mentionSource';

/** A piece of a file, or of something else that has a name. Lines count from 1. */
export interface QuotedCode {
  /** As people read it: relative to the open folder where it lies in one. */
  readonly shown: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  /** The editor's name of the language; empty for plain text. */
  readonly language: string;
}

/** What is longer is named, not quoted: the agent can read it. */
const longestQuote = 20_000;

/** What an entry point puts into the composer: what stands there, and what goes along. */
export interface AskedAbout {
  readonly text: string;
  readonly parts: readonly DraftPart[];
}

/** The code goes along as it is now; `lead` and where it stands are written. Where there is nothing to take along the place is named. */
export function aboutCode(lead: string, code: QuotedCode): AskedAbout {
  const { shown, text } = code;
  const label = placeOf(code);
  const isNothing = text.trim() === '' || text.length > longestQuote;
  // What may hold secrets goes only where the person sees it go.
  const isSeen = isSecret(shown);
  const head = lead === '' ? (isNothing || isSeen ? `\`${label}\`` : '') : `${lead} \`${label}\``;
  if (isNothing) return { text: `${head}\n`, parts: [] };
  if (isSeen) return { text: `${head}\n${fenced(text, code.language)}\n`, parts: [] };
  return {
    text: head === '' ? '' : `${head}\n`,
    parts: [{ kind: 'attachment', source: `file:${label}`, label, text: text.replace(/\n$/, '') }],
  };
}

/** The problems are written, the code around them goes along. */
export function aboutProblems(lead: string, code: QuotedCode, problems: readonly Problem[]): AskedAbout {
  const { text, parts } = aboutCode(lead, code);
  return { text: `${text}${problems.map((problem) => `- ${problemLine(problem, code.shown)}`).join('\n')}\n`, parts };
}

/** A file or folder that the person pointed at. */
export interface PointedAt {
  readonly shown: string;
  readonly isFolder: boolean;
  /** In an open folder: only there it is read when the prompt is sent. */
  readonly isInside: boolean;
}

/** What lies in the open folders goes along; what does not, or may hold secrets, is named. */
export function aboutFiles(places: readonly PointedAt[]): AskedAbout {
  const isTaken = ({ shown, isInside }: PointedAt): boolean => isInside && !isSecret(shown);
  const named = places.filter((place) => !isTaken(place)).map(({ shown }) => shown);
  const parts = places.filter(isTaken).map(({ shown, isFolder }) => ({
    kind: 'mention' as const,
    source: `${isFolder ? 'folder' : 'file'}:${isFolder ? shown.replace(/\/$/, '') : shown}`,
    label: shown,
  }));
  return { text: named.length === 0 ? '' : filesPrompt(named), parts };
}

/** What is selected in a terminal goes along. */
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

/** One file or folder by itself, several as a list. */
function filesPrompt(paths: readonly string[]): string {
  const [only] = paths;
  return only !== undefined && paths.length === 1
    ? `\`${only}\` `
    : `${paths.map((path) => `- \`${path}\``).join('\n')}\n`;
}

/** A fence that nothing inside can end. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}
