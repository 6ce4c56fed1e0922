import { beforeEach, describe, expect, it, vi } from 'vitest';
import { editorTools } from '../../../../src/host/tools/editorTools';
import { aToolCall } from '../../../support/toolCalls';

const editor = vi.hoisted(() => {
  const state: {
    isTrusted: boolean;
    setting: { readonly globalValue?: boolean; readonly workspaceValue?: boolean };
    tools: readonly {
      readonly name: string;
      readonly description: string;
      readonly inputSchema: object | undefined;
      readonly tags: readonly string[];
    }[];
    invoked: { readonly name: string; readonly input: unknown; readonly invocation: unknown }[];
    answer: (cancelled: Promise<void>) => Promise<{ readonly content: readonly unknown[] }>;
  } = { isTrusted: true, setting: {}, tools: [], invoked: [], answer: async () => ({ content: [] }) };
  return state;
});

vi.mock('vscode', () => {
  class LanguageModelTextPart {
    constructor(readonly value: string) {}
  }
  class LanguageModelPromptTsxPart {
    constructor(readonly value: unknown) {}
  }
  class LanguageModelDataPart {
    constructor(
      readonly data: Uint8Array,
      readonly mimeType: string,
    ) {}
  }
  class CancellationTokenSource {
    cancel: () => void = () => undefined;
    token = new Promise<void>((resolve) => (this.cancel = resolve));
    dispose = () => undefined;
  }
  return {
    LanguageModelTextPart,
    LanguageModelPromptTsxPart,
    LanguageModelDataPart,
    CancellationTokenSource,
    workspace: {
      get isTrusted() {
        return editor.isTrusted;
      },
      getConfiguration: () => ({ inspect: () => editor.setting }),
    },
    lm: {
      get tools() {
        return editor.tools;
      },
      invokeTool: (
        name: string,
        { input, toolInvocationToken }: { input: unknown; toolInvocationToken: unknown },
        token: Promise<void>,
      ) => {
        editor.invoked.push({ name, input, invocation: toolInvocationToken });
        return editor.answer(token);
      },
    },
  };
});

const { LanguageModelDataPart, LanguageModelPromptTsxPart, LanguageModelTextPart } = await import('vscode');
const tool = (name: string, inputSchema: object = { type: 'object', properties: { a: { type: 'string' } } }) => ({
  name,
  description: `Does ${name}.`,
  inputSchema,
  tags: [],
});
const names = () => editorTools().map(({ name }) => name);
const { signal } = new AbortController();

function bound(input: unknown = {}) {
  const [first] = editorTools();
  const call = first?.bind(input);
  if (call?.kind !== 'ready') throw new Error('not offered, or invalid arguments');
  return call;
}

beforeEach(() => {
  Object.assign(editor, {
    isTrusted: true,
    setting: {},
    tools: [tool('jupyter_list')],
    invoked: [],
    answer: async () => ({ content: [new LanguageModelTextPart('fine')] }),
  });
});

describe('tools of other extensions', () => {
  it("are offered by name, as currently registered; those that work only in the editor's own chat are not", () => {
    editor.tools = [
      tool('zeta.tool'),
      tool('copilot_readFile'),
      tool('vscode_editFile_internal'),
      tool('run_in_terminal'),
      tool('mcp_x_y'),
      tool('hermes_own'),
      tool('text', { type: 'string' }),
      { ...tool('bare'), inputSchema: undefined },
      tool('alpha'),
    ];
    expect(names()).toEqual(['ext_alpha', 'ext_bare', 'ext_zeta_tool']);
    expect(editorTools()[1]?.parameters).toEqual({ type: 'object', properties: {} });
    editor.tools = [];
    expect(names()).toEqual([]);
  });

  it('are not offered in Restricted Mode or if the user does not want them; a repository cannot decide', () => {
    editor.isTrusted = false;
    expect(names()).toEqual([]);
    editor.isTrusted = true;
    editor.setting = { globalValue: false, workspaceValue: true };
    expect(names()).toEqual([]);
    editor.setting = { workspaceValue: false };
    expect(names()).toEqual(['ext_jupyter_list']);
  });

  it('need approval, and are called without a chat token', async () => {
    const call = bound({ a: 'b' });
    expect(await call.asks?.(signal)).toEqual({
      access: { kind: 'editorTool', name: 'jupyter_list' },
      preview: '```json\n{\n  "a": "b"\n}\n```',
    });
    expect(await call.run(signal, aToolCall())).toEqual({ outcome: 'done', text: 'fine' });
    expect(editor.invoked).toEqual([{ name: 'jupyter_list', input: { a: 'b' }, invocation: undefined }]);
  });

  it('return text, prompt trees, JSON and images', async () => {
    const bytes = (text: string) => new TextEncoder().encode(text);
    editor.answer = async () => ({
      content: [
        new LanguageModelTextPart('one'),
        new LanguageModelPromptTsxPart({ node: { children: [{ type: 2, text: 'two' }] } }),
        new LanguageModelDataPart(bytes('{"three":3}'), 'application/json'),
        new LanguageModelDataPart(bytes('png'), 'image/png'),
        'unknown',
      ],
    });
    expect(await bound().run(signal, aToolCall())).toEqual({
      outcome: 'done',
      text: 'one\ntwo\n{"three":3}\n[image/png, 3 bytes]',
      images: [{ kind: 'image', mediaType: 'image/png', dataBase64: Buffer.from('png').toString('base64') }],
    });
  });

  it('report their failure; a tool that ignores Stop is abandoned when the turn stops', async () => {
    editor.answer = () => Promise.reject(new Error('no kernel'));
    expect(await bound().run(signal, aToolCall())).toEqual({
      outcome: 'failed',
      text: 'The tool jupyter_list of another extension failed: no kernel',
    });
    let wasCancelled = false;
    editor.answer = (cancelled) => new Promise(() => void cancelled.then(() => (wasCancelled = true)));
    const stop = new AbortController();
    const running = bound().run(stop.signal, aToolCall());
    stop.abort(new Error('stopped'));
    await expect(running).rejects.toThrow('stopped');
    expect(wasCancelled).toBe(true);
  });
});
