import { contractOf, keepContract } from '../../src/models/http/wireContract';
import type { WireMessage } from '../../src/transcript/wireMessage';
import { request } from '../unit/models/asking';

/** A wire copy as it is sent to a service without rules of its own. */
export function kept(messages: readonly WireMessage[]): readonly WireMessage[] {
  const contract = contractOf({ protocol: 'openai', baseUrl: 'http://127.0.0.1:1/v1', modelId: 'm' });
  return keepContract(request({ messages }), contract).request.messages;
}

/** What a strict provider would refuse in a wire copy. */
export function sequenceProblems(wire: readonly WireMessage[]): readonly string[] {
  const startsWrong = wire[0] !== undefined && wire[0].role !== 'user' ? ['does not begin with a user'] : [];
  const ids = wire.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) => (part.kind === 'toolCall' ? [part.callId] : []))
      : [],
  );
  const twice = new Set(ids).size < ids.length ? ['a call id twice'] : [];
  const problems = wire.flatMap((message, index) => {
    const before = wire[index - 1];
    const after = wire[index + 1];
    switch (message.role) {
      case 'user':
        return [
          ...(before?.role === 'user' ? ['two users'] : []),
          ...(before?.role === 'tool' ? ['user behind results'] : []),
          ...(message.content.length === 0 ? ['empty user'] : []),
        ];
      case 'assistant': {
        const calls = message.content.flatMap((part) => (part.kind === 'toolCall' ? [part.callId] : []));
        const answered = after?.role === 'tool' ? after.results.map((result) => result.callId) : [];
        return [
          ...(before?.role === 'assistant' ? ['two assistants'] : []),
          ...(message.content.length === 0 ? ['empty assistant'] : []),
          ...(calls.join() === answered.join() ? [] : ['calls and results differ']),
        ];
      }
      case 'tool':
        return [
          ...(before?.role === 'assistant' ? [] : ['stray results']),
          ...(message.results.some((result) => result.text === '') ? ['empty result'] : []),
        ];
    }
  });
  return [...startsWrong, ...twice, ...problems];
}
