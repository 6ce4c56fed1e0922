import { beforeEach, describe, expect, it, vi } from 'vitest';
import { EditorTools, toolExtensions } from '../../../../../src/features/mcp/host/editorTools';
import { aToolCall } from '../../../../support/toolCalls';

const editor = vi.hoisted(() => {
  const state: {
    isTrusted: boolean;
    setting: { globalValue?: unknown; readonly workspaceValue?: unknown };
    extensions: readonly { readonly id: string; readonly packageJSON: object }[];
    tools: readonly {
      readonly name: string;
      readonly description: string;
      readonly inputSchema: object | undefined;
      readonly tags: readonly string[];
    }[];
    invoked: { readonly name: string; readonly input: unknown; readonly invocation: unknown }[];
    answer: (cancelled: Promise<void>) => Promise<{ readonly content: readonly unknown[] }>;
  } = { isTrusted: true, setting: {}, extensions: [], tools: [], invoked: [], answer: async () => ({ content: [] }) };
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
      getConfiguration: () => ({
        inspect: () => editor.setting,
      }),
    },
    ConfigurationTarget: { Global: 1 },
    extensions: {
      get all() {
        return editor.extensions;
      },
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
/** An installed extension that declares these tools. */
const extension = (id: string, tools: readonly string[], more: object = {}) => ({
  id,
  packageJSON: {
    displayName: `The ${id}`,
    contributes: { languageModelTools: tools.map((name) => ({ name })) },
    ...more,
  },
});
const kept = new Map<string, unknown>();
const memory = {
  get: (key: string) => kept.get(key),
  update: async (key: string, value: unknown) => void kept.set(key, value),
};
let tools: EditorTools;
const names = () => tools.offered().map(({ name }) => name);
const { signal } = new AbortController();

function bound(input: unknown = {}) {
  const [first] = tools.offered();
  const call = first?.bind(input);
  if (call?.kind !== 'ready') throw new Error('not offered, or invalid arguments');
  return call;
}

beforeEach(() => {
  Object.assign(editor, {
    isTrusted: true,
    setting: {},
    extensions: [extension('acme.jupyter', ['jupyter_list'])],
    tools: [tool('jupyter_list')],
    invoked: [],
    answer: async () => ({ content: [new LanguageModelTextPart('fine')] }),
  });
  kept.clear();
  kept.set('choice.editorTools', ['Acme.Jupyter']);
  tools = new EditorTools(memory);
});

describe('tools of other extensions', () => {
  it('are offered of the extensions that the user switched on, and of no others', async () => {
    editor.tools = ['zeta.tool', 'alpha', 'copilot_readFile', 'task_complete', 'renderMermaidDiagram', 'other'].map(
      (name) => tool(name),
    );
    editor.extensions = [
      extension('acme.jupyter', ['zeta.tool', 'alpha', 'gone', 'text']),
      extension('acme.other', ['other']),
      extension('GitHub.copilot-chat', ['copilot_readFile']),
      extension('acme.builtin', ['renderMermaidDiagram'], { isBuiltin: true }),
      extension('acme.none', []),
      { id: 'acme.odd', packageJSON: { contributes: { languageModelTools: 'all' } } },
    ];
    editor.tools = [...editor.tools, tool('text', { type: 'string' })];
    const offered = names();
    kept.set('choice.editorTools', ['acme.other', 'github.copilot-chat', 'acme.builtin']);
    expect({ offered, others: names(), listed: toolExtensions().map(({ label }) => label) }).toEqual({
      offered: ['ext_alpha', 'ext_zeta_tool'],
      others: ['ext_other'],
      listed: ['The acme.jupyter', 'The acme.other'],
    });
  });

  it('are off until the user switches them on, and can be switched off again', async () => {
    const seen = [names()];
    const [jupyter] = toolExtensions();
    for (let times = 0; jupyter !== undefined && times < 2; times++) {
      await tools.toggle(jupyter);
      seen.push(names());
    }
    kept.clear();
    seen.push(names());
    kept.set('choice.editorTools', true);
    expect([...seen, names()]).toEqual([['ext_jupyter_list'], [], ['ext_jupyter_list'], [], []]);
  });

  it('stay on where a setting of an earlier version named their extension, until the user switches them off', async () => {
    kept.clear();
    editor.setting = { globalValue: ['Acme.Jupyter'], workspaceValue: ['acme.other'] };
    tools = new EditorTools(memory);
    const before = names();
    const [jupyter] = toolExtensions();
    if (jupyter !== undefined) await tools.toggle(jupyter);
    tools = new EditorTools(memory);
    expect([before, names()]).toEqual([['ext_jupyter_list'], []]);
  });

  it('are not offered in Restricted Mode', () => {
    editor.isTrusted = false;
    expect(names()).toEqual([]);
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
