import type { HookEvent } from '../../../agent/turnHooks';
import type { HookDefinition } from './hookFiles';
import type { TranslatedCall } from './hookNames';

const permissionModes = { ask: 'default', auto: 'acceptEdits', plan: 'plan' } as const;

/** JSON that a hook gets on its input, in the form of its file: Claude's (with the names of VS Code added) or
 *  Copilot's. There is no `transcript_path`: sessions are not kept as such a file. */
export function hookInput(
  { isCopilot, matcher }: HookDefinition,
  event: HookEvent,
  call: TranslatedCall | null,
  cwd: string,
): string {
  const { output, prompt, source, isAgain } = event;
  const isDone = output?.outcome === 'done';
  if (isCopilot)
    return JSON.stringify({
      timestamp: Date.now(),
      cwd,
      sessionId: event.sessionId,
      prompt,
      source: source === 'startup' ? 'new' : source,
      toolName: call?.copilot,
      toolArgs: call === null ? undefined : JSON.stringify(call.input),
      toolResult:
        output === undefined
          ? undefined
          : { resultType: isDone ? 'success' : 'failure', textResultForLlm: output.text },
    });
  return JSON.stringify({
    session_id: event.sessionId,
    sessionId: event.sessionId,
    timestamp: new Date().toISOString(),
    cwd,
    permission_mode: permissionModes[event.mode],
    hook_event_name: event.name,
    hookEventName: event.name,
    prompt,
    source,
    trigger: event.name === 'PreCompact' ? 'auto' : undefined,
    stop_hook_active: isAgain,
    tool_name:
      call === null ? undefined : (call.names.find((name) => matcher.split('|').includes(name)) ?? call.names[0]),
    tool_input: call?.input,
    tool_use_id: event.call?.callId,
    tool_response: output === undefined || !isDone ? undefined : { content: output.text, success: true },
    error: output === undefined || isDone ? undefined : output.text,
  });
}
