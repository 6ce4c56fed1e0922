import { afterEach } from 'vitest';
import { Emitter } from '../../../src/base/disposable';
import type { PromptAttachments, ChatEditor } from '../../../src/host/chat/chatHandlers';
import { ChatSurface } from '../../../src/host/chat/chatSurface';
import { ownMemory } from '../../../src/host/chat/chatTabs';
import type { ChatModels } from '../../../src/host/models/modelService';
import { StoreStatus } from '../../../src/host/storage/storeStatus';
import type { ChatFiles } from '../../../src/host/webviews/chatFiles';
import type { OfferedAgent } from '../../../src/protocol/composerProtocol';
import type { FoundSession } from '../../../src/store/conversations';
import type { StoreState } from '../../../src/store/ownership/storeState';
import { noAttachments, noChangedFiles, noViewReports } from '../../support/emptyHost';
import { noCodeActions } from '../../support/noCodeActions';
import { RecordingLog } from './recordingLog';
import { RecordingPort, settle } from './recordingPort';
import { ScriptedGateway, session } from './scriptedGateway';
import { StoreAtHand } from './storeAtHand';

let surfaces: readonly ChatSurface[] = [];
afterEach(() => {
  for (const surface of surfaces) surface.dispose();
  surfaces = [];
});

/** A bridge between a gateway that the test plays and a page, which is connected and has not loaded yet. Ends with
 *  its test. */
export function surfaceWorld(
  options: {
    readonly store?: StoreState;
    readonly remembered?: string;
    readonly files?: ChatFiles;
    readonly attachments?: PromptAttachments;
    /** Custom agents; null while an agent of another maker answers. Default: none. */
    readonly agents?: () => readonly OfferedAgent[] | null;
  } = {},
) {
  const gateway = new ScriptedGateway(session('s1'), session('s2'));
  const connection = new StoreAtHand(options.store);
  const store = new StoreStatus(connection);
  const meta = new Map<string, string>(options.remembered === undefined ? [] : [['shown:chat', options.remembered]]);
  const written: string[] = [];
  const unused = async (): Promise<void> => undefined;
  const editor: ChatEditor = {
    openTranscript: unused,
    pickSession: unused,
    pickModel: unused,
    openSettings: unused,
    showLog: () => undefined,
    copy: unused,
    openLink: unused,
    code: noCodeActions,
    confirm: async () => true,
    runFeatureCommand: unused,
    setUp: unused,
    replaceKey: async () => false,
    runAction: unused,
  };
  const changes = new Emitter<void>();
  const models: ChatModels & { fire(): void } = {
    stateOf: (ref) => ({ chosen: null, problem: `model of ${ref ?? 'default'}` }),
    choices: async () => ({ models: [], problems: [] }),
    setup: { searching: false, entries: [] },
    discover: async () => ({ searching: false, entries: [] }),
    onDidChange: changes.event,
    fire: () => changes.fire(),
  };
  const sessions = {
    getSession: async (id: string) => gateway.stored.get(id) ?? null,
    getMessage: async (uid: string) => gateway.rows.find((row) => row.uid === uid) ?? null,
    getTurn: async () => null,
    approval: async () => null,
    findSession: async (): Promise<FoundSession> => ({ kind: 'none' }),
    conversationTip: async (id: string) => id,
    getMeta: async (key: string) => meta.get(key) ?? null,
    setMeta: async (key: string, value: string) => {
      meta.set(key, value);
      written.push(`${key} ${value}`);
    },
  };
  const deps = {
    gateway,
    sessions,
    store,
    models,
    editor,
    log: new RecordingLog(),
    files: options.files ?? noChangedFiles,
    attachments: options.attachments ?? noAttachments,
    reports: noViewReports,
    ...(options.agents === undefined ? {} : { customAgents: options.agents }),
    onChange: () => undefined,
    surroundings: () => ({
      restricted: false,
      folderName: 'sample',
      demoPrompts: [],
      localization: {},
      promptFiles: [],
    }),
  };
  const surface = new ChatSurface('chat', deps);
  const port = new RecordingPort();
  surface.connect(port);
  const tab = (sessionId: string): ChatSurface => {
    const made = new ChatSurface('tab:1', { ...deps, sessions: ownMemory(sessions, sessionId) });
    surfaces = [...surfaces, made];
    return made;
  };
  surfaces = [...surfaces, surface];
  return { gateway, connection, surface, port, meta, written, models, tab };
}

/** The same after the page has loaded. */
export async function readySurface(options: Parameters<typeof surfaceWorld>[0] = {}) {
  const world = surfaceWorld(options);
  world.port.command('ready');
  await settle();
  return world;
}

/** The names of what a page was told. */
export async function shownIn(port: RecordingPort): Promise<readonly string[]> {
  await settle();
  return port.notifications.map(([name]) => name);
}
