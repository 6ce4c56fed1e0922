import type { HookEvent } from '../../../agent/turnHooks';
import type { HookEventName } from '../../../transcript/hookRun';
import type { HookDefinition } from './hookFiles';
import type { TranslatedCall } from './hookNames';

const permissionModes = { ask: 'default', auto: 'acceptEdits', plan: 'plan' } as const;

/** Field of the word that a matcher means, by event. */
const aboutFields: Partial<Record<HookEventName, string>> = {
  SessionStart: 'source',
  SubagentStart: 'agent_type',
  SubagentStop: 'agent_type',
  PreCompact: 'trigger',
  Notification: 'notification_type',
  SessionEnd: 'reason',
};

/** JSON that a hook gets on its input, in the form of its file: Claude's (with the names of VS Code added) or
 *  Copilot's. There is no `transcript_path`: sessions are not kept as such a file. */
export function hookInput(
  { isCopilot, matcher }: HookDefinition,
  event: HookEvent,
  call: TranslatedCall | null,
  cwd: string,
): string {
  const { name, output, prompt, about, message, isAgain } = event;
  const isDone = output?.outcome === 'done';
  const aboutField = aboutFields[name] ?? 'about';
  if (isCopilot)
    return JSON.stringify({
      timestamp: Date.now(),
      cwd,
      sessionId: event.sessionId,
      prompt,
      message,
      [aboutField]: about === 'startup' ? 'new' : about,
      agentName: name.startsWith('Subagent') ? about : undefined,
      toolName: call?.copilot,
      toolArgs: call === null ? undefined : JSON.stringify(call.input),
      toolResult:
        call === null || output === undefined
          ? undefined
          : { resultType: isDone ? 'success' : 'failure', textResultForLlm: output.text },
    });
  return JSON.stringify({
    session_id: event.sessionId,
    sessionId: event.sessionId,
    timestamp: new Date().toISOString(),
    cwd,
    permission_mode: permissionModes[event.mode],
    hook_event_name: name,
    hookEventName: name,
    prompt,
    message,
    [aboutField]: about,
    last_assistant_message: name === 'SubagentStop' ? output?.text : undefined,
    stop_hook_active: isAgain,
    tool_name:
      call === null ? undefined : (call.names.find((name) => matcher.split('|').includes(name)) ?? call.names[0]),
    tool_input: call?.input,
    tool_use_id: event.call?.callId,
    tool_response:
      call === null || output === undefined || !isDone ? undefined : { content: output.text, success: true },
    error: call === null || output === undefined || isDone ? undefined : output.text,
  });
}
