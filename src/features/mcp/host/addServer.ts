import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import { errorMessage } from '../../../base/errorMessage';
import type { McpTrial } from '../core/mcpServers';
import type { ServerDefinition } from '../core/serverDefinition';
import type { TrustDecision } from '../../../tools/programTrust';
import { proposedName, typedServer, type ServerEntry, type TypedProblem } from '../core/typedServer';
import type { McpHost } from './mcpHost';
import { draftPlaces, type DraftPlace, type ServerDraft } from './serverDrafts';

/** Typed as it is in any language. */
const exampleCommand = 'npx -y @modelcontextprotocol/server-memory';

/** A defined server, with the user's trust and decision. */
export interface KnownServer {
  readonly id: string;
  readonly definition: ServerDefinition;
  readonly fingerprint: string;
  readonly isTrusted: boolean;
  /** True when an earlier definition of it was trusted. */
  readonly hasChanged: boolean;
  readonly decision: TrustDecision;
}

/** The user's entries so far. */
interface Entered {
  readonly text: string;
  readonly entry: ServerEntry;
  readonly name: string;
  readonly place: DraftPlace;
}

/** Runs Add Server…: asks for a command or address, a name and a place, tests the server, and only then saves it.
 *  Canceling at any step changes nothing. `text`: proposed as the command or address. */
export async function addServer(host: McpHost, text = ''): Promise<void> {
  let entered = await enter(host, { text });
  while (entered !== null) {
    const { name, entry, place } = entered;
    const draft = await place.draft(name, entry);
    const outcome =
      draft.kind === 'unusable'
        ? await tellUnusable(draft.sentence)
        : await tryAndSave(host, host.proposed(draft.definition), draft);
    if (outcome !== 'edit') return;
    entered = await enter(host, entered);
  }
}

async function enter(host: McpHost, before: Pick<Entered, 'text'> & Partial<Entered>): Promise<Entered | null> {
  const title = t('Add MCP Server');
  const text = await vscode.window.showInputBox({
    title,
    prompt: t('Command that starts the server, or its web address'),
    placeHolder: exampleCommand,
    value: before.text,
    ignoreFocusOut: true,
    validateInput: (typed) => problemWords(typedServer(typed)),
  });
  const entry = text === undefined ? 'empty' : typedServer(text);
  if (text === undefined || typeof entry === 'string') return null;
  const taken = host.all.map(({ definition }) => definition.name);
  const name = await vscode.window.showInputBox({
    title,
    prompt: t('A name for this server'),
    value: before.name ?? proposedName(entry, taken),
    ignoreFocusOut: true,
    validateInput: (typed) => nameProblem(typed.trim(), taken),
  });
  if (name === undefined) return null;
  const place = await pickPlace(title);
  return place === null ? null : { text, entry, name: name.trim(), place };
}

async function pickPlace(title: string): Promise<DraftPlace | null> {
  const [only, ...others] = draftPlaces();
  if (only === undefined || others.length === 0) return only ?? null;
  const picked = await vscode.window.showQuickPick([only, ...others], {
    title,
    placeHolder: t('Where should this server be available?'),
    ignoreFocusOut: true,
  });
  return picked ?? null;
}

async function tellUnusable(sentence: string): Promise<'ended' | 'edit'> {
  const edit = t('Edit');
  const detail = t('Nothing was saved.');
  return (await vscode.window.showWarningMessage(sentence, { modal: true, detail }, edit)) === edit ? 'edit' : 'ended';
}

async function tryAndSave(
  host: McpHost,
  server: KnownServer,
  draft: Extract<ServerDraft, { readonly kind: 'draft' }>,
): Promise<'ended' | 'edit'> {
  // The user’s own settings need no trust. A folder’s file does, and the review says where the program would run.
  const isOwn = server.definition.source.kind === 'settings';
  const decision = isOwn ? server.decision : await host.askToTrust(server);
  if (decision === null) return 'ended';
  const trial = await tested(host, server, decision);
  if (trial === null) return 'ended';
  const { name } = server.definition;
  if (trial.kind === 'failed') {
    const [save, edit] = [t('Save Anyway'), t('Edit')];
    const pressed = await vscode.window.showWarningMessage(
      t('The MCP server “{name}” didn’t start. {reason}', { name, reason: trial.sentence }),
      { modal: true, detail: [...trial.lines, t('Nothing was saved.')].join('\n') },
      save,
      edit,
    );
    if (pressed !== save) return pressed === edit ? 'edit' : 'ended';
  }
  try {
    await host.add(server, isOwn ? null : decision, draft.save);
  } catch (error) {
    return tellUnusable(errorMessage(error));
  }
  void vscode.window.showInformationMessage(savedWords(name, trial));
  return 'ended';
}

/** Null when the user canceled the test. */
async function tested(host: McpHost, server: KnownServer, decision: TrustDecision): Promise<McpTrial | null> {
  return vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: t('Testing the MCP server “{name}”…', { name: server.definition.name }),
      cancellable: true,
    },
    async (_progress, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      return host.trial(server, decision, stop.signal).catch((error: unknown) => {
        if (stop.signal.aborted) return null;
        throw error;
      });
    },
  );
}

function savedWords(name: string, trial: McpTrial): string {
  if (trial.kind === 'failed') return t('The MCP server “{name}” was saved. It isn’t running.', { name });
  return trial.tools === 1
    ? t('The MCP server “{name}” works and was saved. It offers 1 tool.', { name })
    : t('The MCP server “{name}” works and was saved. It offers {count} tools.', {
        name,
        count: String(trial.tools),
      });
}

function problemWords(typed: ServerEntry | TypedProblem): string | undefined {
  switch (typed) {
    case 'empty':
      return t('Enter a command or a web address.');
    case 'shell':
      return t('Enter a single command. Pipes, redirections, and && aren’t supported.');
    case 'quote':
      return t('A quote isn’t closed.');
    case 'address':
      return t('Enter a full web address that begins with http:// or https://.');
    default:
      return undefined;
  }
}

function nameProblem(name: string, taken: readonly string[]): string | undefined {
  if (name === '') return t('The name can’t be empty.');
  return taken.includes(name) ? t('An MCP server with this name already exists.') : undefined;
}
