import path from 'node:path';
import { afterAll } from 'vitest';
import { type ModelServer, reply, startModelServer } from '../support/modelServer';
import {
  projectRoot,
  readStateDb,
  type Row,
  type Settings,
  type VscodeSession,
  type VscodeSessionOptions,
} from '../support/vscode';
import { ChatPanel } from './chatPanel';
import { EXTENSION_ID, sharedVscode } from './vscodeTest';

interface ScriptedOptions extends VscodeSessionOptions {
  /** Ids of the models that are offered; the first one answers. */
  readonly models?: readonly string[];
  readonly protocol?: 'openai' | 'anthropic';
  /** Tokens. Default: what Hermes takes for a model it does not know. */
  readonly contextWindow?: number;
  /** Where no answer is scripted: repeats the last prompt in capitals, see `heard`. */
  readonly echoes?: boolean;
}

/** A VS Code for all tests of a file, and the scripted server that is its only model. */
export interface ScriptedVscode {
  readonly server: ModelServer;
  vscode(): VscodeSession;
  /** Opens the sample project, or another folder, and the chat in it. */
  open(folder?: string): Promise<ChatPanel>;
  /** The first storage folder of the extension. */
  storage(): string;
  /** Rows of its state.db, as another program reads them. */
  query(sql: string, ...parameters: readonly (string | number | null)[]): readonly Row[];
  /** Sends a prompt and waits for this answer, which the model is given to say. */
  ask(panel: ChatPanel, prompt: string, answer: string): Promise<void>;
  /** Requests that the server refused, as a provider would. */
  refused(): readonly string[];
}

export const heard = (prompt: string): string => `Heard: ${prompt.toUpperCase()}`;

/** Settings of a user whose only model is this server. */
export function scriptedSettings(
  server: ModelServer,
  { models = ['test-model'], protocol = 'openai', contextWindow }: ScriptedOptions = {},
): Settings {
  return {
    'hermes.providers': [
      {
        name: 'Local',
        protocol,
        baseUrl: server.url,
        models: models.map((id) => ({ id, ...(contextWindow !== undefined && { contextWindow }) })),
      },
    ],
    'hermes.model': `Local/${models[0]}`,
  };
}

export async function scriptedVscode(options: ScriptedOptions = {}): Promise<ScriptedVscode> {
  const server = await startModelServer(options.models === undefined ? {} : { models: options.models });
  if (options.echoes === true)
    server.otherwise((request) => reply().says(heard((request.outline.at(-1) ?? '').replace(/^user: /, ''))));
  afterAll(() => server.close());
  const vscode = sharedVscode(() => ({
    ...options,
    settings: { ...scriptedSettings(server, options), ...options.settings },
  }));
  const storage = (): string => vscode().workspaceStorageFolders(EXTENSION_ID)[0] ?? '';
  return {
    server,
    vscode,
    storage,
    open: async (folder = vscode().sampleFolder()) => ChatPanel.open(await vscode().open(folder)),
    query: (sql, ...parameters) => readStateDb(storage(), sql, ...parameters),
    ask: async (panel, prompt, answer) => {
      server.script(reply().says(answer));
      await panel.ask(prompt, answer);
    },
    refused: () => server.requests.flatMap(({ rejection }) => rejection ?? []),
  };
}

/** Takes a picture of a panel's window into the folder of these. */
export function picturesIn(folder: string): (panel: ChatPanel, name: string) => Promise<string> {
  const pictures = path.join(projectRoot(), '.vscode-test/screenshots', folder);
  return (panel, name) => panel.workbench.screenshot(pictures, name);
}
