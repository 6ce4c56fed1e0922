import type { ChatModel, ModelRequest, ModelStream } from '../chatModel';
import type { ModelInfo } from '../modelInfo';
import { LearnedRefusals, withoutImages } from './refusals';
import { runRequest } from './requestRunner';
import type { RequestRunnerDeps } from './requestRunner';

/** A model behind an HTTP endpoint. */
export function httpChatModel(info: ModelInfo, deps: RequestRunnerDeps): ChatModel {
  const refusals = deps.refusals ?? new LearnedRefusals();
  return {
    info,
    stream(request: ModelRequest, signal: AbortSignal): ModelStream {
      return runRequest(fitted(request, info), signal, { ...deps, refusals });
    },
  };
}

/** Removes content that the model is known not to support, so that the service does not refuse the request. */
function fitted(request: ModelRequest, info: ModelInfo): ModelRequest {
  const reasoningEffort = info.efforts.includes(request.reasoningEffort) ? request.reasoningEffort : 'default';
  const asked = { ...request, reasoningEffort, tools: info.tools === false ? [] : request.tools };
  return info.images === false ? withoutImages(asked) : asked;
}
