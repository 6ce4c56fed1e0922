import * as v from 'valibot';
import { noAnswer, type HookAnswer, type HookEvent } from '../../../agent/turnHooks';
import { t } from '../../../base/translate';
import { parsedJson, isJsonObject, type JsonObject } from '../../../transcript/json';
import type { HookEventName, HookRun } from '../../../transcript/hookRun';
import { changedArguments } from './hookInput';
import type { HookDefinition } from './hookFiles';

/** How a hook's program ended. `problem`: the reason why it gave no answer (the time limit, too much output, a signal,
 *  not started). */
export interface HookEnd {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
  readonly problem: string | null;
}

// Programs write null for what they do not say.
const text = v.nullish(v.string());
const flag = v.nullish(v.boolean());
const loose = v.optional(v.unknown());
/** Answer to a request for permission: Claude's, and at the top level Copilot's. */
const permission = { behavior: text, message: text, interrupt: flag };
const answerSchema = v.object({
  ...permission,
  continue: flag,
  stopReason: text,
  systemMessage: text,
  decision: text,
  reason: text,
  permissionDecision: text,
  permissionDecisionReason: text,
  modifiedArgs: loose,
  updatedInput: loose,
  additionalContext: text,
  hookSpecificOutput: v.nullish(
    v.object({
      permissionDecision: text,
      permissionDecisionReason: text,
      decision: v.nullish(v.object(permission)),
      updatedInput: loose,
      additionalContext: text,
    }),
  ),
});

/** Events at which a hook can object: one that gives no answer then objects too. */
const guards: readonly HookEventName[] = ['UserPromptSubmit', 'PreToolUse'];
/** Events whose plain output is text for the model. */
const talks: readonly HookEventName[] = ['SessionStart', 'UserPromptSubmit'];

const decisions = new Map([
  ['deny', 'deny'],
  ['block', 'deny'],
  ['ask', 'ask'],
  ['defer', 'ask'],
]);

const longestText = 10_000;

export interface Said extends Omit<HookAnswer, 'runs' | 'stop'> {
  readonly stop: string | null;
  readonly run: HookRun;
}

/** What one hook says, by its exit code and its output. An input as it was is no change. */
export function answerOf(hook: HookDefinition, end: HookEnd, { call, bound }: Pick<HookEvent, 'call' | 'bound'>): Said {
  const said = read(hook, end);
  const reason = cut(said.reason);
  const changed =
    said.updated === undefined || call === undefined
      ? undefined
      : changedArguments(call.name, call.arguments, said.updated);
  const args = changed === undefined ? undefined : (bound?.(changed) ?? changed);
  const isChanged = args !== undefined && args !== call?.arguments;
  const outcome: HookRun['outcome'] =
    said.decision === 'deny' || said.stop !== undefined
      ? 'blocked'
      : said.isFailed === true
        ? 'failed'
        : said.decision === 'ask'
          ? 'asked'
          : isChanged
            ? 'changed'
            : 'passed';
  const message = [said.message ?? '', reason].find((each) => each !== '') ?? '';
  return {
    decision: said.decision ?? 'none',
    reason,
    context: cut(said.context ?? ''),
    arguments: isChanged ? args : null,
    stop: said.stop ?? null,
    run: { event: hook.event, hook: nameOf(hook), outcome, text: cut(message) },
  };
}

interface Read {
  readonly decision?: HookAnswer['decision'];
  readonly reason: string;
  readonly message?: string;
  readonly context?: string;
  readonly updated?: JsonObject;
  readonly stop?: string;
  readonly isFailed?: boolean;
}

function read(hook: HookDefinition, { exitCode, output, errors, problem }: HookEnd): Read {
  const isGuard = guards.includes(hook.event);
  // A guard that fails closes.
  const failed = (reason: string): Read => ({
    reason,
    isFailed: true,
    ...(isGuard ? { decision: 'deny' as const } : {}),
  });
  if (problem !== null) return failed(problem);
  const said = errors.trim() === '' ? output.trim() : errors.trim();
  if (exitCode === 2) return { decision: 'deny', reason: said === '' ? t('It gave no reason.') : said };
  if (exitCode !== 0) {
    const reason = t('It ended with exit code {code}. {text}', { code: String(exitCode), text: said });
    // Copilot refuses a call then, Claude only reports it.
    return hook.isCopilot ? failed(reason) : { reason, isFailed: true };
  }
  const json = answerIn(output, talks.includes(hook.event));
  if (json === null) return { reason: '', ...(talks.includes(hook.event) ? { context: output.trim() } : {}) };
  const parsed = v.safeParse(answerSchema, json);
  if (!parsed.success) return failed(t('Its answer can’t be understood.'));
  const answer = parsed.output;
  const own = answer.hookSpecificOutput;
  const asked = own?.decision ?? answer;
  const wish = own?.permissionDecision ?? asked.behavior ?? answer.permissionDecision ?? answer.decision ?? '';
  const reason =
    own?.permissionDecisionReason ??
    asked.message ??
    answer.permissionDecisionReason ??
    answer.reason ??
    answer.stopReason ??
    '';
  const updated = own?.updatedInput ?? answer.updatedInput ?? answer.modifiedArgs;
  if (updated !== undefined && updated !== null && !isJsonObject(updated))
    return failed(t('Its answer can’t be understood.'));
  const decision = decisions.get(wish);
  if (isGuard && decision === undefined && !['', 'allow', 'approve'].includes(wish))
    return failed(t('Its answer can’t be understood.'));
  return {
    reason,
    ...(decision === 'deny' || decision === 'ask' ? { decision } : {}),
    ...(typeof answer.systemMessage !== 'string' ? {} : { message: answer.systemMessage }),
    context: own?.additionalContext ?? answer.additionalContext ?? '',
    ...(isJsonObject(updated) && hook.event === 'PreToolUse' ? { updated } : {}),
    ...(answer.continue === false || (decision === 'deny' && asked.interrupt === true)
      ? { stop: answer.stopReason ?? reason }
      : {}),
  };
}

/** The JSON of an answer; undefined for one that is not valid, null for none. Shells may greet before a hook answers,
 *  and PowerShell writes a byte order mark or UTF-16. `talks`: words before JSON are text for the model. */
function answerIn(output: string, talks: boolean): unknown {
  const said = output.includes('\0') ? output.replaceAll(/[\0\ufffd]/g, '') : output;
  if (said.trimStart().startsWith('{')) return parsedJson(said.trim());
  const last = talks ? undefined : parsedJson(said.slice(said.search(/^\{/m)).trim());
  return isJsonObject(last) ? last : null;
}

/** Said while the files with hooks can't be read. */
export function unreadReason(problem: string): string {
  return t('The files with hooks can’t be read, and one of them might object: {problem}', { problem });
}

/** The answer when the files with hooks can't be read: what a hook could object to does not happen. */
export function unreadHooks(event: Pick<HookEvent, 'name'>, problem: string): HookAnswer {
  if (!guards.includes(event.name)) return noAnswer;
  const reason = unreadReason(problem);
  const run = { hook: '', event: event.name, outcome: 'blocked', text: reason } as const;
  return together([{ decision: 'deny', reason, arguments: null, context: '', stop: null, run }], event);
}

/** Puts the answers of several hooks together: the strictest counts. */
export function together(all: readonly Said[], { name }: Pick<HookEvent, 'name'>): HookAnswer {
  if (all.length === 0) return noAnswer;
  const decision = (['deny', 'ask'] as const).find((each) => all.some((said) => said.decision === each)) ?? 'none';
  const changes = new Set(all.flatMap((said) => said.arguments ?? []));
  const stops = all.flatMap(({ stop }) => (stop === null ? [] : [stop]));
  const runs = all.map(({ run }) => run);
  const reason = all
    .filter((said) => decision !== 'none' && said.decision === decision && said.reason !== '')
    .map((said) => said.reason)
    .join(' ');
  const stopped = {
    decision: 'deny',
    reason: stops.join(' '),
    stop: hookFailure(stops.join(' '), runs),
  } as const;
  const disagree = { decision: 'deny', reason: 'Several hooks changed its arguments in different ways.' } as const;
  return {
    ...noAnswer,
    decision,
    reason,
    arguments: [...changes][0] ?? null,
    context: cut(
      all
        .map(({ context }) => context)
        .filter((each) => each !== '')
        .join('\n\n'),
      2 * longestText,
    ),
    runs,
    ...(changes.size > 1 ? disagree : {}),
    ...(stops.length > 0 ? stopped : {}),
    // There is nothing to go on with: the turn is about this prompt.
    ...(name === 'UserPromptSubmit' && decision === 'deny' ? { stop: hookFailure(reason, runs) } : {}),
  };
}

/** Failure of a turn that a hook ended. */
function hookFailure(reason: string, runs: readonly HookRun[]): NonNullable<HookAnswer['stop']> {
  const hooks = runs.filter(({ outcome }) => outcome === 'blocked').map(({ hook }) => hook);
  return {
    cause: 'hook',
    sentence: t('A hook stopped this: {reason} Everything shown is saved.', { reason: sentenceOf(reason) }),
    technical: `${hooks.join(', ')}: ${reason}`,
  };
}

function sentenceOf(reason: string): string {
  const line = reason.replaceAll(/\s+/g, ' ').trim().slice(0, 300);
  return line === '' || /[.!?…]$/.test(line) ? line : `${line}.`;
}

/** File and command of a hook in one line. */
function nameOf({ file, command }: Pick<HookDefinition, 'file' | 'command'>): string {
  const line = command.replaceAll(/\s+/g, ' ').trim();
  return `${file}: ${line.length > 80 ? `${line.slice(0, 79).toWellFormed()}…` : line}`;
}

function cut(written: string, longest = longestText): string {
  return written.length <= longest ? written : `${written.slice(0, longest).toWellFormed()}…`;
}
