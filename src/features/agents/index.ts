import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { TurnAgent } from '../../agent/agent';
import { LeftWaiting } from '../../agent/liveRun';
import { askPerson, rememberRules } from '../../agent/personAsking';
import { recordTurn } from '../../agent/recordedTurn';
import { toDisposable } from '../../base/disposable';
import { translations } from '../../base/translate';
import { registerCommands } from '../../host/common/commands';
import { openPage } from '../../host/common/editorFeatures';
import { lazyBundle } from '../../host/common/lazyBundle';
import type { WindowContext } from '../../host/window/windowContext';
import { ModelError } from '../../models/modelProvider';
import type { OfferedPrompt } from '../../protocol/chatProtocol';
import { AccessPaths } from '../../tools/accessPaths';
import { profileOf } from './core/agentRegistry';
import type * as hostedAgent from './core/hostedAgent';
import { readCommands } from './core/storedSession';
import { agentEntries, AgentLaunching } from './host/agentLaunching';
import { AgentPicker } from './host/agentPicker';
import { AgentProvider, givenServers, optionsKey } from './host/agentProvider';

/** Agents of other makers, over the Agent Client Protocol (docs/agents.md). Nothing is loaded before the first prompt
 *  for one of them. */
export function register(window: WindowContext): void {
  const { own, context, distFolder, history, approvals, recorder, models, files, fileEditor, clock, log } = window;
  const memory = context.globalState;
  const launching = new AgentLaunching(clock, log);
  const load = lazyBundle<typeof hostedAgent, 'createHostedAgents'>(
    distFolder,
    { file: 'agents.js', name: 'agents' },
    'createHostedAgents',
  );
  let agents: hostedAgent.HostedAgents | null = null;
  const paths = new AccessPaths(files);
  const folder = (): string => files.roots()[0]?.path ?? homedir();
  const hosted = (): hostedAgent.HostedAgents =>
    (agents ??= load()({
      store: history.store,
      clock,
      ids: window.ids,
      log,
      turns: {
        record: recordTurn,
        ask: askPerson,
        remember: rememberRules,
        isLeftWaiting: (error) => error instanceof LeftWaiting,
        modelError: (failure) => new ModelError(failure),
      },
      policy: approvals.policy,
      files,
      locate: (path) => paths.locate(path),
      shownPath: (path) => vscode.workspace.asRelativePath(path),
      editor: fileEditor,
      journal: recorder.journal,
      folder,
      openPage,
      launch: (profile, at) => launching.launch(profile, at),
      servers: ({ name }, at, signal) => {
        const ids = givenServers(name, memory).map(({ id }) => id);
        return (ids.length > 0 && window.servers.current?.handOver(ids, at, signal)) || Promise.resolve([]);
      },
      version: String((context.extension.packageJSON as { readonly version?: unknown }).version ?? ''),
      translations: translations(),
      onState: ({ name }, { options }) => {
        if (JSON.stringify(memory.get(optionsKey(name))) === JSON.stringify(options)) return;
        void memory.update(optionsKey(name), options).then(() => models.invalidate());
      },
      onCommands: () => window.activeChat.all.forEach((chat) => chat.promptFilesChanged()),
    }));
  const entryOf = (ref: string) => agentEntries().find(({ name }) => name === ref.slice(0, ref.indexOf('/'))) ?? null;
  const agentFor = (ref: string): TurnAgent | null => {
    const entry = entryOf(ref);
    return entry === null ? null : hosted().agent(profileOf(entry), ref.slice(ref.indexOf('/') + 1));
  };
  const commands = async (ref: string, sessionId: string | null): Promise<readonly OfferedPrompt[] | null> => {
    const entry = entryOf(ref);
    if (entry === null) return null;
    const { store } = history;
    const session = sessionId === null ? null : await store.getSession(sessionId);
    const offered = await readCommands(store, session?.conversationId ?? null, profileOf(entry).id);
    return offered.map(({ name, description, hint }) => ({ name, description, argumentHint: hint, kind: 'command' }));
  };
  own(
    window.agents.fill({
      providers: () => agentEntries().map(({ name }) => new AgentProvider(name, memory)),
      agentFor,
      commands,
    }),
  );
  own(registerCommands({ chooseAgent: () => new AgentPicker(window, launching).choose() }, log));
  own(
    vscode.workspace.onDidChangeConfiguration(
      (event) => event.affectsConfiguration('hermes.agents') && models.invalidate(),
    ),
  );
  own(toDisposable(() => agents?.closeNow()));
}
