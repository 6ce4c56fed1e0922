import type { ToolCallContext } from '../../src/tools/tool';

/** The call a tool runs for in a test that does not care which. */
export function aToolCall(over: Partial<ToolCallContext> = {}): ToolCallContext {
  return {
    callId: 'call-1',
    sessionId: 'session-1',
    conversationId: 'session-1',
    turnUid: 'turn-1',
    report: () => undefined,
    proceed: new AbortController().signal,
    ask: () => Promise.reject(new Error('Nobody is there.')),
    ...over,
  };
}
