/** Texts that entry points in the editor put into the composer. The person reads them before they send them, in their language. */
import type { Problem } from '../../tools/knowledge/editorKnowledge';
import { problemLine } from '../../tools/knowledge/overviewTools';

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

/** Where it stands, and the code itself; `lead` goes ahead of it. */
export function codePrompt(lead: string, code: QuotedCode): string {
  const { shown, startLine, endLine, text, language } = code;
  const place = `\`${shown}:${startLine}${endLine === startLine ? '' : `-${endLine}`}\``;
  const head = lead === '' ? place : `${lead} ${place}`;
  return text.trim() === '' || text.length > longestQuote ? `${head}\n` : `${head}\n${fenced(text, language)}\n`;
}

export function problemPrompt(lead: string, code: QuotedCode, problems: readonly Problem[]): string {
  return `${codePrompt(lead, code)}${problems.map((problem) => `- ${problemLine(problem, code.shown)}`).join('\n')}\n`;
}

/** One file or folder by itself, several as a list. */
export function filesPrompt(paths: readonly string[]): string {
  const [only] = paths;
  return only !== undefined && paths.length === 1 ? `\`${only}\` ` : `${paths.map((path) => `- \`${path}\``).join('\n')}\n`;
}

/** The end of what a terminal shows is what matters of it. */
export function terminalPrompt(lead: string, text: string): string {
  const trimmed = text.replace(/\r\n?/g, '\n').replace(/[ \t]+$/gm, '').replace(/^\n+|\n+$/g, '');
  return `${lead}\n${fenced(trimmed.length > longestQuote ? `…\n${trimmed.slice(-longestQuote).toWellFormed()}` : trimmed, '')}\n`;
}

/** A fence that nothing inside can end. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, '')}\n${fence}`;
}
