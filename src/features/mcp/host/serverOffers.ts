import * as vscode from 'vscode';
import { commandName } from '../../../agent/project/promptFiles';
import { quoted, t } from '../../../base/translate';
import type { Attached, Mention } from '../../../protocol/attachmentProtocol';
import type { OfferedPrompt } from '../../../protocol/chatProtocol';
import type { McpAnswer, McpArgument, McpConnection, McpContent, McpPrompt } from '../core/mcpConnection';
import type { McpServer } from '../core/mcpServer';
import type { McpServers } from '../core/mcpServers';
import { contentText } from '../core/resultOutput';
import type { DraftPart, MentionPart, SentPart } from '../../../transcript/draftPart';
import type { ImagePart } from '../../../transcript/part';
import { showInvisible } from '../../../transcript/text/invisibleCharacters';
import { cutTo, mostCharacters } from '../../../host/attachments/attachedText';
import { contentOf, maxFileBytes, tooLarge } from '../../../host/attachments/mentionReading';
import type { ServerContent } from '../../../host/attachments/mentionDeps';
import { resourceSource, templateSource } from '../../../host/attachments/mentionSource';
import { MentionError } from '../../../host/common/describeError';

const longestLabel = 120;
const longestDescription = 300;
/** Most resources of one prompt that are attached. */
const mostAttached = 20;
const mostPrompts = 200;
/** Characters of the address of a resource that is attached. */
const longestUri = 1000;
/** Milliseconds to wait for a server that has to be started first. */
const startTimeoutMs = 30_000;
/** Milliseconds. The user may have to sign in. */
const requestTimeoutMs = 600_000;
const completeTimeoutMs = 3000;

/** What the running servers of a window offer to the user: prompts after a "/", resources after an "@". What servers
 *  wrote is shown under their names, never run, and read only when the user asks for it. */
export class ServerOffers implements ServerContent {
  constructor(private readonly servers: Pick<McpServers, 'all' | 'startIdle'>) {}

  start(): void {
    this.servers.startIdle();
  }

  /** A prompt whose name is taken already is left out. */
  get prompts(): readonly OfferedPrompt[] {
    return [...new Map(this.named.toReversed().map((one) => [one.name, one])).values()]
      .toReversed()
      .slice(0, mostPrompts)
      .map(({ name, prompt: { title, description, args, ...prompt } }) => ({
        name,
        description: shown(description || (title ?? prompt.name), longestDescription),
        argumentHint: args.length === 0 ? null : shown(args.map(hint).join(' '), longestLabel),
        kind: 'server',
      }));
  }

  private get named() {
    return this.servers.all.flatMap((server) =>
      server.offers.prompts.map((prompt) => ({
        name: commandName(`mcp_${server.plan.name}_${prompt.name}`),
        server,
        prompt,
      })),
    );
  }

  async getPrompt(name: string, text: string): Promise<Attached> {
    const found = this.named.find((prompt) => prompt.name === name);
    if (found === undefined) throw new MentionError(t('/{name} is no longer offered by its MCP server.', { name }));
    const { server, prompt } = found;
    const args = await this.argumentsOf(server, prompt, text);
    if (args === null) return { parts: [], problems: [] };
    const label = shown(`${server.plan.name}: ${prompt.title ?? prompt.name}`, longestLabel);
    const answer = await ask(server, (connection, signal) => connection.getPrompt(prompt.name, args, signal));
    if (answer.kind === 'failed') throw unread(label, answer.sentence);
    const images: ImagePart[] = [];
    const attached: DraftPart[] = [];
    const isDialog = answer.value.some(({ role }) => role === 'assistant');
    const texts = answer.value.map(({ role, content }) => {
      const resource = attached.length < mostAttached ? resourcePart(server.plan.name, content) : null;
      if (resource !== null) attached.push(resource);
      const said = resource === null ? contentText(content, images) : `[${resource.label}]`;
      return isDialog ? `${role === 'user' ? 'User' : 'Assistant'}: ${said}` : said;
    });
    const named = `${quoted(shown(prompt.name, longestLabel))} of the MCP server ${quoted(server.plan.name)}`;
    const lead = `(The person chose the prompt ${named} as their request. The server wrote what follows.)`;
    const whole = cutTo([lead, ...texts].join('\n\n'), mostCharacters);
    const written = prompt.name.slice(0, longestLabel).toWellFormed();
    const source = `prompt:${encodeURIComponent(server.plan.name)}:${written}`;
    return { parts: [{ kind: 'attachment', label, source, text: whole }, ...attached, ...images], problems: [] };
  }

  resources(): readonly (Mention & { readonly isChanged: boolean })[] {
    return this.servers.all.flatMap((server) => {
      const { name } = server.plan;
      const { resources, templates } = server.offers;
      const mention = (source: string, label: string, detail: string, isChanged = false) => ({
        source,
        label: shown(`${name}: ${label}`, longestLabel),
        detail: shown(detail, longestDescription),
        kind: 'resource' as const,
        isChanged,
      });
      return [
        ...resources.map(({ uri, name: label, description }) =>
          mention(resourceSource(name, uri), label, description || uri, server.hasChanged(uri)),
        ),
        ...templates.map(({ uriTemplate, name: label }) =>
          mention(templateSource(name, uriTemplate), label, uriTemplate),
        ),
      ];
    });
  }

  async read(name: string, uri: string, mention: MentionPart): Promise<SentPart> {
    this.start();
    const signal = AbortSignal.timeout(requestTimeoutMs);
    const answer = await this.find(name).readResource(uri, signal, startTimeoutMs);
    if (answer.kind === 'failed') throw new Error(answer.sentence);
    const contents = answer.value;
    const { label, source } = mention;
    const [only] = contents;
    if (contents.length === 1 && only?.kind === 'binary') {
      if (only.dataBase64.length > (maxFileBytes / 3) * 4) throw tooLarge(label);
      return contentOf(Buffer.from(only.dataBase64, 'base64'), { label, source, lines: null });
    }
    const images: ImagePart[] = [];
    const texts = contents.map((content) =>
      contents.length === 1 && content.kind === 'resource' ? content.text : contentText(content, images),
    );
    return { kind: 'attachment', label, source, text: cutTo(texts.join('\n\n'), mostCharacters) };
  }

  async fill(name: string, uriTemplate: string): Promise<MentionPart | null> {
    const server = this.find(name);
    const template = server.offers.templates.find((each) => each.uriTemplate === uriTemplate);
    if (template === undefined) throw new Error(t('The MCP server no longer offers it.'));
    const title = shown(`${name}: ${template.name}`, longestLabel);
    const optional = (uriTemplate.match(/\{[?&][^}]*\}/g) ?? []).flatMap((part) => part.match(/\w+/g) ?? []);
    const values: Record<string, string> = {};
    for (const [index, variable] of template.variables.entries()) {
      const value = await askArgument({
        title,
        step: index + 1,
        steps: template.variables.length,
        prompt: shown(variable, longestLabel),
        isRequired: !optional.includes(variable),
        propose: proposing(server, { kind: 'template', of: uriTemplate, name: variable, others: { ...values } }),
      });
      if (value === undefined) return null;
      values[variable] = value;
    }
    const answer = await ask(server, async (connection) => ({
      kind: 'ok',
      value: connection.expand(uriTemplate, values),
    }));
    if (answer.kind === 'failed') throw new Error(answer.sentence);
    if (answer.value === null) throw new Error(t('The MCP server no longer offers it.'));
    const given = Object.values(values).join(', ');
    const label = given === '' ? title : shown(`${title} (${given})`, longestLabel);
    return { kind: 'mention', source: resourceSource(name, answer.value), label };
  }

  private find(name: string): McpServer {
    const server = this.servers.all.find(({ plan }) => plan.name === name);
    if (server !== undefined) return server;
    throw new Error(t('The MCP server “{name}” is not there, or you have not trusted it.', { name }));
  }

  /** Null: the user canceled. */
  private async argumentsOf(
    server: McpServer,
    { name: of, title, args }: McpPrompt,
    text: string,
  ): Promise<Readonly<Record<string, string>> | null> {
    const words = text.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
    // What is left over belongs to the last argument.
    const typed = [...words.slice(0, args.length - 1), words.slice(args.length - 1).join(' ')];
    const values: Record<string, string> = {};
    for (const [index, { name, description, isRequired }] of args.entries()) {
      const word = typed[index]?.replace(/^(["'])(.*)\1$/s, '$2') ?? '';
      const value =
        word !== ''
          ? word
          : await askArgument({
              title: shown(`${server.plan.name}: ${title ?? of}`, longestLabel),
              step: index + 1,
              steps: args.length,
              prompt: shown(description === '' ? name : `${name}: ${description}`, longestDescription),
              isRequired,
              propose: proposing(server, { kind: 'prompt', of, name, others: { ...values } }),
            });
      if (value === undefined) return null;
      if (value !== '') values[name] = value;
    }
    return values;
  }
}

function proposing(server: McpServer, argument: Omit<McpArgument, 'typed'>) {
  return async (typed: string): Promise<readonly string[]> => {
    const signal = AbortSignal.timeout(completeTimeoutMs);
    const answer = await server
      .request(
        async (connection) => ({ kind: 'ok', value: await connection.complete({ ...argument, typed }, signal) }),
        { signal },
        completeTimeoutMs,
      )
      .catch(() => null);
    return answer?.kind === 'ok' ? answer.value : [];
  };
}

function ask<T>(
  server: McpServer,
  send: (connection: McpConnection, signal: AbortSignal) => Promise<McpAnswer<T>>,
): Promise<McpAnswer<T>> {
  const signal = AbortSignal.timeout(requestTimeoutMs);
  return server.request((connection) => send(connection, signal), { signal }, startTimeoutMs);
}

/** A resource in a prompt, as an attachment of its own: its text, or a mention of it. */
function resourcePart(server: string, content: McpContent): (DraftPart & { readonly label: string }) | null {
  if (content.kind !== 'resource' && content.kind !== 'link') return null;
  // As a part of the draft it could not be saved.
  if (content.uri.length > longestUri) return null;
  const source = resourceSource(server, content.uri);
  const label = shown(`${server}: ${content.kind === 'link' ? content.name : content.uri}`, longestLabel);
  return content.kind === 'link'
    ? { kind: 'mention', source, label }
    : { kind: 'attachment', source, label, text: cutTo(content.text, mostCharacters) };
}

function hint({ name, isRequired }: McpPrompt['args'][number]): string {
  return isRequired ? `[${name}]` : `[${name}?]`;
}

function unread(label: string, reason: string): MentionError {
  return new MentionError(t('Couldn’t read {label}: {reason}', { label, reason }));
}

/** One line without invisible characters. */
function shown(text: string, most: number): string {
  // Most of it is cut anyway.
  const line = showInvisible(
    text
      .slice(0, 8 * most)
      .replace(/\s+/g, ' ')
      .trim(),
  );
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}

interface AskedArgument {
  readonly title: string;
  readonly step: number;
  readonly steps: number;
  readonly prompt: string;
  readonly isRequired: boolean;
  /** Values for what is typed. Never rejects. */
  readonly propose: (typed: string) => Promise<readonly string[]>;
}

/** Asks the user for one argument, with values that its server proposes. Undefined: canceled. Empty: left out. */
function askArgument({ title, step, steps, prompt, isRequired, propose }: AskedArgument) {
  const box = vscode.window.createQuickPick();
  Object.assign(box, { title, placeholder: prompt, ignoreFocusOut: true });
  if (steps > 1) Object.assign(box, { step, totalSteps: steps });
  const put = (typed: string, proposed: readonly string[]): void => {
    const own = typed === '' ? (isRequired ? [] : [{ label: t('Leave Empty'), value: '' }]) : [{ label: typed }];
    const others = proposed.filter((value) => value !== typed).map((label) => ({ label }));
    // The server has chosen them; the editor must not filter them again.
    box.items = [...own, ...others].map((item) => ({ ...item, alwaysShow: true }));
  };
  const propound = async (typed: string): Promise<void> => {
    put(typed, []);
    const proposed = await propose(typed);
    if (box.value === typed) put(typed, proposed);
  };
  return new Promise<string | undefined>((resolve) => {
    box.onDidChangeValue((typed) => void propound(typed));
    box.onDidAccept(() => {
      const [chosen] = box.selectedItems;
      const value = chosen === undefined ? box.value : 'value' in chosen ? String(chosen.value) : chosen.label;
      if (value === '' && isRequired) return;
      resolve(value);
      box.hide();
    });
    box.onDidHide(() => {
      resolve(undefined);
      box.dispose();
    });
    void propound('');
    box.show();
  });
}
