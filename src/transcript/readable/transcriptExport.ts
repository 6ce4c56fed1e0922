import * as v from 'valibot';
import type { Translate } from '../../base/translate';
import { handoffTokens } from '../handoff';
import { isContinuation } from '../continuation';
import type { AssistantMessage, Message, ToolMessage } from '../message';
import type { ToolCallPart, ToolResultPart } from '../part';
import type { Session } from '../session';
import type { Turn } from '../turn';
import { endText, hiddenText, outcomeText } from './exportLabels';

/** A whole stored session: every message once, in order, with hidden rows if requested. */
export interface ExportedSession {
  readonly session: Session;
  readonly messages: readonly Message[];
  readonly turns: readonly Turn[];
  /** Seconds since the epoch. */
  readonly exportedAt: number;
}

interface MarkdownContext {
  readonly t: Translate;
  readonly language: string;
}

/** Details of a call's result that name the session of a sub-agent. */
const delegateDetails = v.object({ kind: v.literal('delegate'), sessionId: v.string(), title: v.nullable(v.string()) });

/** Renders a session as a readable document: prompts and answers in full, thinking and tool calls collapsed, and the
 *  end of each turn below it. */
export function markdownExport(record: ExportedSession, { t, language }: MarkdownContext): string {
  const { session, messages, turns, exportedAt } = record;
  const time = (seconds: number): string =>
    new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(seconds * 1000));
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? [[message.parts[0].callId, message.parts[0]] as const] : [],
    ),
  );
  const calls = new Set(
    messages.flatMap((message) =>
      message.role === 'assistant'
        ? message.parts.flatMap((part) => (part.kind === 'toolCall' ? [part.callId] : []))
        : [],
    ),
  );
  const lastOf = new Map(
    messages.flatMap((message) =>
      message.turnUid === null || !isRead(message) ? [] : [[message.turnUid, message.uid] as const],
    ),
  );
  const turnOf = new Map(turns.map((turn) => [turn.uid, turn]));
  const endOf = ({ uid, turnUid }: Message): string | null => {
    const turn = turnUid === null || lastOf.get(turnUid) !== uid ? undefined : turnOf.get(turnUid);
    return turn?.state === 'settled' ? endSentence(turn, t) : null;
  };
  const blocks: string[] = [
    `# ${oneLine(session.title ?? t('Untitled Session'))}`,
    [
      `- ${t('Session: {id}', { id: session.id })}`,
      ...(session.model === null ? [] : [`- ${t('Model: {model}', { model: session.model })}`]),
      `- ${t('Started {begun}, last active {active}', { begun: time(session.startedAt), active: time(session.lastActiveAt) })}`,
      `- ${t('Exported {time}', { time: time(exportedAt) })}`,
    ].join('\n'),
  ];
  let headed: string | null = null;
  for (const message of messages) {
    const heading = headingOf(message, time(message.createdAt), t);
    // Requests of one turn share one heading; a tool's result is shown with its call.
    const group = message.role === 'user' ? message.uid : `${message.turnUid} ${message.visibility.kind}`;
    const body = bodyOf(message, results, calls, t);
    if (body.length > 0 && group !== headed) blocks.push(`## ${heading}`);
    if (body.length > 0) headed = group;
    blocks.push(...body);
    const end = endOf(message);
    if (end !== null) blocks.push(`> ${oneLine(end)}`);
  }
  return `${blocks.join('\n\n')}\n`;
}

/** Returns a file name that is valid on every system, without extension. */
export function exportName(session: Pick<Session, 'id' | 'title'>): string {
  const name = (session.title ?? '')
    .replace(/[\p{C}<>:"/\\|?*]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 80)
    .replace(/[. ]+$/, '');
  return name === '' ? session.id : name;
}

/** False for closing rows, which are written only for the model. */
function isRead(message: Message): boolean {
  return message.visibility.kind !== 'closing';
}

function headingOf(message: Message, time: string, t: Translate): string {
  const who = message.role === 'user' && !isContinuation(message) ? t('You') : t('Hermes');
  const model = message.role === 'assistant' && message.model !== null ? [message.model] : [];
  const hidden = message.visibility.kind === 'hidden' ? [hiddenText(message.visibility.reason, t)] : [];
  return oneLine([who, time, ...model, ...hidden].join(' · '));
}

function bodyOf(
  message: Message,
  results: ReadonlyMap<string, ToolResultPart>,
  calls: ReadonlySet<string>,
  t: Translate,
): readonly string[] {
  if (!isRead(message)) return [];
  if (message.visibility.kind === 'handoff') return handoffBlocks(message, t);
  if (isContinuation(message)) return [`*${t('Continued')}*`];
  switch (message.role) {
    case 'user':
      return message.parts.map((part) => {
        switch (part.kind) {
          case 'text':
            return part.text;
          case 'attachment':
            return `**${oneLine(part.label)}**\n\n${fenced(part.text, '')}`;
          case 'image':
            return t('Image: {name}', { name: part.name ?? part.mediaType });
          default:
            return part satisfies never;
        }
      });
    case 'assistant':
      return assistantBlocks(message, results, t);
    case 'tool':
      return strayResult(message, calls, t);
    default:
      return message satisfies never;
  }
}

function assistantBlocks(
  message: AssistantMessage,
  results: ReadonlyMap<string, ToolResultPart>,
  t: Translate,
): readonly string[] {
  return message.parts.flatMap((part) => {
    if (part.kind === 'toolCall') return [callBlock(part, results.get(part.callId), t)];
    if (part.text.trim() === '') return [];
    return [part.kind === 'text' ? part.text : folded(t('Thinking'), part.text)];
  });
}

function callBlock(call: ToolCallPart, result: ToolResultPart | undefined, t: Translate): string {
  const state = result === undefined ? t('no result') : outcomeText(result.outcome, t);
  const helper = v.safeParse(delegateDetails, result?.details);
  const session = helper.success
    ? [
        t('Sub-agent “{title}”, session {id}', {
          title: oneLine(helper.output.title ?? t('Untitled Session')),
          id: helper.output.sessionId,
        }),
      ]
    : [];
  return folded(
    t('Tool: {name}, {state}', { name: call.name, state }),
    [fenced(call.arguments, 'json'), ...session, ...(result === undefined ? [] : [fenced(result.text, '')])].join(
      '\n\n',
    ),
  );
}

function strayResult({ parts: [result] }: ToolMessage, calls: ReadonlySet<string>, t: Translate): readonly string[] {
  return calls.has(result.callId)
    ? []
    : [
        folded(
          t('Tool: {name}, {state}', { name: result.name, state: outcomeText(result.outcome, t) }),
          fenced(result.text, ''),
        ),
      ];
}

function handoffBlocks(message: Message, t: Translate): readonly string[] {
  const tokens = handoffTokens(message);
  const line =
    tokens === null
      ? t('Earlier messages summarized')
      : t('Earlier messages summarized, {before} → {after} tokens', {
          before: String(tokens.before),
          after: String(tokens.after),
        });
  return [folded(line, message.parts.map((part) => ('text' in part ? part.text : '')).join('\n'))];
}

function endSentence(turn: Turn & { readonly state: 'settled' }, t: Translate): string | null {
  return turn.failure?.sentence ?? endText(turn.stopReason, t);
}

function folded(summary: string, content: string): string {
  return `<details>\n<summary>${escaped(oneLine(summary))}</summary>\n\n${content}\n\n</details>`;
}

/** Wraps text in a fence that is longer than any run of backticks in it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
