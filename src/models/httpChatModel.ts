import type { ChatModel, ModelRequest, ModelStream } from './chatModel';
import type { ModelInfo } from './modelInfo';
import { runRequest } from './requestRunner';
import type { RunnerParts } from './requestRunner';

/** A model behind an HTTP endpoint. */
export function httpChatModel(info: ModelInfo, parts: RunnerParts): ChatModel {
  return {
    info,
    stream(request: ModelRequest, signal: AbortSignal): ModelStream {
      return runRequest(fitted(request, info), signal, parts);
    },
  };
}

/** Leaves out what the model is known not to take, rather than have the request refused. */
function fitted(request: ModelRequest, info: ModelInfo): ModelRequest {
  const reasoningEffort = info.efforts.includes(request.reasoningEffort) ? request.reasoningEffort : 'default';
  return { ...request, reasoningEffort, tools: info.tools === false ? [] : request.tools };
}
