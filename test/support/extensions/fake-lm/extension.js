/**
 * A language model provider for tests, without a network. What its models do:
 * - `echo` says "You said: <prompt>", a word at a time. A prompt `call <tool> <json>` makes it call that tool, when it was offered; the
 *   answer to a tool result is "The tool said: <result>".
 * - `slow` says numbered words, `words=<n>` of them (default 60) with `delay=<ms>` between (default 50), both read from the prompt.
 * - `fails` says some words, pauses, says some more and throws at once, as a provider does whose service breaks off.
 */
// eslint-disable-next-line @typescript-eslint/no-require-imports -- an unbundled extension is CommonJS
const vscode = require('vscode');

const models = [model('echo', 'Echo'), model('slow', 'Slow'), model('fails', 'Fails')];

function model(id, name) {
  return {
    id,
    name,
    family: 'hermes-test',
    version: '1',
    maxInputTokens: 128_000,
    maxOutputTokens: 8_000,
    capabilities: { toolCalling: true, imageInput: false },
  };
}

exports.activate = (context) => {
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider('hermes-test', {
      provideLanguageModelChatInformation: () => models,
      provideLanguageModelChatResponse: (chosen, messages, options, progress, token) =>
        answers[chosen.id](messages, options, new Voice(progress, token)),
      provideTokenCount: (_model, text) => Math.ceil((typeof text === 'string' ? text : textOf(text)).length / 4),
    }),
  );
};

const answers = {
  async echo(messages, options, voice) {
    const result = toolResultOf(messages.at(-1));
    if (result !== undefined) return voice.say(`The tool said: ${result}`, 5);
    const prompt = textOf(messages.at(-1));
    const call = /^call (\w+) (\{.*\})$/s.exec(prompt.trim());
    if (!call) return voice.say(`You said: ${prompt}`, 5);
    const [, name, input] = call;
    if (!options.tools?.some((tool) => tool.name === name)) return voice.say(`There is no tool ${name}.`, 5);
    await voice.say(`Calling ${name}.`, 5);
    voice.part(new vscode.LanguageModelToolCallPart(`call_${messages.length}`, name, JSON.parse(input)));
  },

  async slow(messages, _options, voice) {
    const prompt = textOf(messages.at(-1));
    const words = Number(/words=(\d+)/.exec(prompt)?.[1] ?? 60);
    const delay = Number(/delay=(\d+)/.exec(prompt)?.[1] ?? 50);
    await voice.say(Array.from({ length: words }, (_, index) => `word${index + 1}`).join(' '), delay);
  },

  async fails(_messages, _options, voice) {
    await voice.say('This answer breaks off after', 20);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await voice.say(' one more', 1);
    throw new Error('The test provider failed on purpose');
  },
};

/** Speaks word by word, until it is told to stop. */
class Voice {
  constructor(progress, token) {
    this.progress = progress;
    this.token = token;
  }

  part(part) {
    this.progress.report(part);
  }

  async say(text, delayMs) {
    for (const word of text.match(/\s*\S+|\s+$/g) ?? []) {
      if (this.token.isCancellationRequested) return;
      this.part(new vscode.LanguageModelTextPart(word));
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}

function textOf(message) {
  return (message?.content ?? [])
    .flatMap((part) => (part instanceof vscode.LanguageModelTextPart ? [part.value] : []))
    .join('');
}

function toolResultOf(message) {
  const result = (message?.content ?? []).find((part) => part instanceof vscode.LanguageModelToolResultPart);
  return result?.content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
}
