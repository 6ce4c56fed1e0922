import * as v from 'valibot';
import type { JsonObject } from '../../../src/transcript/json';
import type { ServerProtocol } from './ledger';

/** A model as the server's lists describe it. `extra` is merged into its entry of `/v1/models` (pricing, max_model_len …). */
export interface ServedModel {
  readonly id: string;
  readonly extra?: JsonObject;
  /** What `ollama show` tells. */
  readonly capabilities?: readonly string[];
  readonly contextLength?: number;
  /** `num_ctx` of its Modelfile. */
  readonly numCtx?: number;
  /** Context that is allocated now; absent when the model is not loaded. */
  readonly loadedContext?: number;
  /** Does the program type it as something other than a chat model (LM Studio's "embeddings")? */
  readonly type?: string;
}

/** The local program whose extra routes are answered. */
export type LocalServer = 'ollama' | 'lmstudio';

export function modelList(protocol: ServerProtocol, models: readonly ServedModel[]): JsonObject {
  if (protocol === 'anthropic') {
    return {
      data: models.map(({ id, extra }) => ({
        type: 'model',
        id,
        display_name: id,
        created_at: '2025-01-01T00:00:00Z',
        ...extra,
      })),
      has_more: false,
      first_id: null,
      last_id: null,
    };
  }
  return {
    object: 'list',
    data: models.map(({ id, extra }) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'test', ...extra })),
  };
}

/** The answer of the local program's own routes, or null where the route is not one of them. */
export function answerLocal(
  program: LocalServer,
  models: readonly ServedModel[],
  method: string,
  path: string,
  raw: string,
): { readonly status: number; readonly body: JsonObject } | null {
  return program === 'ollama'
    ? answerOllama(models, `${method} ${path}`, raw)
    : answerLmStudio(models, `${method} ${path}`);
}

function answerOllama(
  models: readonly ServedModel[],
  route: string,
  raw: string,
): { readonly status: number; readonly body: JsonObject } | null {
  switch (route) {
    case 'GET /api/version':
      return { status: 200, body: { version: '0.12.3' } };
    case 'GET /api/tags':
      return {
        status: 200,
        body: {
          models: models.map(({ id }) => ({
            name: id,
            model: id,
            size: 5_000_000_000,
            details: { family: 'qwen3', parameter_size: '8.2B' },
          })),
        },
      };
    case 'GET /api/ps':
      return {
        status: 200,
        body: {
          models: models.flatMap(({ id, loadedContext }) =>
            loadedContext === undefined ? [] : [{ name: id, model: id, context_length: loadedContext }],
          ),
        },
      };
    case 'POST /api/show': {
      const asked = v.safeParse(v.object({ model: v.string() }), JSON.parse(raw));
      const model = asked.success ? models.find(({ id }) => id === asked.output.model) : undefined;
      if (model === undefined) return { status: 404, body: { error: 'model not found' } };
      return {
        status: 200,
        body: {
          capabilities: [...(model.capabilities ?? ['completion', 'tools'])],
          parameters:
            model.numCtx === undefined
              ? 'stop "<|im_end|>"'
              : `stop "<|im_end|>"\nnum_ctx                        ${model.numCtx}`,
          model_info: {
            'general.architecture': 'qwen3',
            ...(model.contextLength === undefined ? {} : { 'qwen3.context_length': model.contextLength }),
          },
        },
      };
    }
    default:
      return null;
  }
}

function answerLmStudio(
  models: readonly ServedModel[],
  route: string,
): { readonly status: number; readonly body: JsonObject } | null {
  if (route !== 'GET /api/v0/models') return null;
  return {
    status: 200,
    body: {
      object: 'list',
      data: models.map(({ id, type, contextLength, loadedContext, capabilities }) => ({
        id,
        object: 'model',
        type: type ?? 'llm',
        state: loadedContext === undefined ? 'not-loaded' : 'loaded',
        ...(contextLength === undefined ? {} : { max_context_length: contextLength }),
        ...(loadedContext === undefined ? {} : { loaded_context_length: loadedContext }),
        ...(capabilities === undefined ? {} : { capabilities: [...capabilities] }),
      })),
    },
  };
}
