import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { Emitter } from '../../base/disposable';
import { demoPrompts } from '../../models/demo/demoPrompts';
import { WorkspacePaths } from '../../tools/workspacePaths';
import { AttachmentService } from '../attachments/attachmentService';
import { DeliveryReports } from '../chat/deliveryReports';
import { ChatSurface, type ChatSurfaceDeps } from '../chat/chatSurface';
import { ChatTabs, chatTabViewType } from '../chat/chatTabs';
import { ChatView, chatViewId } from '../chat/chatView';
import { describeError } from '../common/describeError';
import { editorStarters } from '../firstSteps/editorStarters';
import { ModelSetup } from '../models/modelSetup';
import { EditorActions } from '../navigation/editorActions';
import { LinkOpener } from '../navigation/linkOpener';
import { WebviewPrograms } from '../webviews/webviewPrograms';
import { ActiveChat, chatSurfaceId, type ChatPlaces } from './activeChat';
import type { WindowConversations } from './createConversations';
import type { WindowModels } from './createModels';
import type { WindowTools } from './createTools';
import type { WindowBasics } from './windowBasics';

type EarlierDeps = WindowBasics & WindowModels & WindowTools & WindowConversations;

/** Services that the views of a window share. */
interface ViewServices {
  readonly programs: WebviewPrograms;
  /** Translations for the webviews. */
  readonly localization: Readonly<Record<string, string>>;
  readonly activeChat: ActiveChat;
  readonly setup: ModelSetup;
  readonly editor: EditorActions;
  /** Reports of the views: what they have shown. */
  readonly reports: DeliveryReports;
}

/** The panel and the chat tabs of a window. */
export interface WindowChats extends ViewServices, ChatPlaces {
  /** Fires when a chat may show another session or model. */
  readonly onDidChangeShown: Emitter<void>['event'];
}

export function createChats(deps: EarlierDeps): WindowChats {
  const { own, gateway, history, log } = deps;
  const services = createServices(deps);
  const { activeChat, programs } = services;
  const forSurfaces = surfaceDeps(deps, services);
  const shown = own(new Emitter<void>());
  const changed = (): void => shown.fire();
  const panel = own(new ChatSurface(chatSurfaceId, { ...forSurfaces, sessions: history.store, onChange: changed }));
  const chat = new ChatView(programs, panel);
  const chatTabs = own(
    new ChatTabs(programs, {
      gateway,
      sessions: history.store,
      uid: randomUUID,
      onActivity: changed,
      createSurface: (id, port, onChange) =>
        new ChatSurface(id, { ...forSurfaces, isTab: true, sessions: port, onChange: () => (changed(), onChange()) }),
      onFailure: (what, error) => log.warn(`${what}: ${describeError(error).sentence}`),
    }),
  );
  activeChat.connect({ panel, chat, chatTabs });
  own(vscode.window.registerWebviewViewProvider(chatViewId, chat));
  own(vscode.window.registerWebviewPanelSerializer(chatTabViewType, chatTabs));
  return { ...services, panel, chat, chatTabs, onDidChangeShown: shown.event };
}

function createServices(deps: EarlierDeps): ViewServices {
  const { own, context, settings, keys, history, catalog, models, files, gateway, clock, log } = deps;
  const { store } = history;
  const activeChat = new ActiveChat();
  const setup = new ModelSetup({
    catalog,
    models,
    keys,
    gateway,
    endpoints: { all: () => settings.current.providers, add: (endpoint) => settings.addProvider(endpoint) },
    shownSession: () => gateway.surfaces.shownSession(activeChat.surfaceId),
    focusChat: () => activeChat.focus(),
    modelOf: async (sessionId) => (sessionId === null ? null : ((await store.getSession(sessionId))?.model ?? null)),
  });
  const editor = new EditorActions({
    links: new LinkOpener(new WorkspacePaths(files)),
    channel: deps.channel,
    code: deps.code,
    extensionId: context.extension.id,
    pickModel: (sessionId) => setup.select(sessionId),
    setUpModel: (entryId) => setup.run(entryId),
    replaceKey: (ref) => setup.replaceKey(ref),
  });
  const reports = own(
    new DeliveryReports({
      sessions: store,
      store: history.status,
      onDidChangeSessions: gateway.surfaces.onDidChangeSessions,
      crashDemo: deps.crashDemo,
      clock,
      log,
    }),
  );
  return {
    programs: new WebviewPrograms(context.extensionUri),
    localization: vscode.l10n.bundle ?? {},
    activeChat,
    setup,
    editor,
    reports,
  };
}

function surfaceDeps(
  deps: EarlierDeps,
  { editor, reports, localization }: ViewServices,
): Omit<ChatSurfaceDeps, 'sessions' | 'onChange'> {
  const { own, gateway, history, models, catalog, changedFiles, terminal, project, servers, agents, log } = deps;
  const attachments = own(
    new AttachmentService({
      files: deps.files,
      sessions: history.store,
      servers: () => servers.current?.offers ?? null,
      clock: deps.clock,
      log,
      uid: randomUUID,
      lastOutput: () => terminal.lastOutput(20_000),
    }),
  );
  return {
    gateway,
    store: history.status,
    models,
    editor,
    log,
    files: changedFiles,
    terminal,
    attachments,
    starters: editorStarters(deps.files, log),
    contextFiles: () => project.inContext,
    agentCommands: async (model, sessionId) => (await agents.current?.commands(model, sessionId)) ?? null,
    customAgents: (model) =>
      model !== null && catalog.providerNamed(model.slice(0, model.indexOf('/')))?.kind === 'agent'
        ? null
        : project.agents((names) => (model === null ? null : catalog.ofFiles.known(names, model))),
    reports,
    sync: deps.sync,
    surroundings: () => ({
      restricted: !vscode.workspace.isTrusted,
      folderName: vscode.workspace.name ?? null,
      isVirtual:
        vscode.workspace.workspaceFolders?.[0] !== undefined &&
        vscode.workspace.workspaceFolders[0].uri.scheme !== 'file',
      demoPrompts: demoPrompts(),
      localization,
      promptFiles: [...project.offered, ...(servers.current?.offers.prompts ?? [])],
      commands: terminal.inBackground,
      ...(terminal.sandboxState === null ? {} : { sandbox: terminal.sandboxState }),
    }),
  };
}
