import { afterEach } from 'vitest';
import { Emitter } from '../../../src/base/disposable';
import { ChatSurface } from '../../../src/host/chat/chatSurface';
import { noAttachments, type PromptAttachments } from '../../../src/host/attachments/promptAttachments';
import { type ChatFiles, noChangedFiles } from '../../../src/host/changedFiles/chatFiles';
import type { ChatEditor } from '../../../src/host/chat/chatHandlers';
import { ownMemory } from '../../../src/host/chat/chatTabMemory';
import type { ChatModels } from '../../../src/host/chat/chatModels';
import { StoreStatus } from '../../../src/host/storage/storeStatus';
import { noViewReports } from '../../../src/host/verify/viewReports';
import type { FoundSession } from '../../../src/store/conversations';
import type { StoreState } from '../../../src/store/ownership/storeState';
import { RecordingLog } from './recordingLog';
import { type RecordingPort, settle } from './recordingPort';
import { ScriptedGateway, session } from './scriptedGateway';
import { StoreAtHand, noSpills } from './storeAtHand';
import { noCodeActions } from '../../support/noCodeActions';

let surfaces: readonly ChatSurface[] = [];
afterEach(() => {
  for (const surface of surfaces) surface.dispose();
  surfaces = [];
});

/** A bridge between a gateway that the test plays and whatever page it connects. Ends with its test. */
export function surfaceWorld(
  options: {
    readonly store?: StoreState;
    readonly remembered?: string;
    readonly files?: ChatFiles;
    readonly attachments?: PromptAttachments;
  } = {},
) {
  const gateway = new ScriptedGateway(session('s1'), session('s2'));
  const connection = new StoreAtHand(options.store);
  const store = new StoreStatus(connection, (message) => message, noSpills);
  const meta = new Map<string, string>(options.remembered === undefined ? [] : [['shown:chat', options.remembered]]);
  const done: string[] = [];
  const written: string[] = [];
  const record = (what: string) => async (argument: string | null) => void done.push(`${what} ${argument ?? ''}`);
  const editor: ChatEditor = {
    openTranscript: record('transcript'),
    pickSession: record('pickSession'),
    pickModel: record('pickModel'),
    openSettings: record('settings'),
    showLog: () => void done.push('log'),
    copy: record('copy'),
    openLink: record('link'),
    code: noCodeActions,
    confirm: async () => true,
    searchSessions: record('search'),
    exportSession: record('export'),
    openMemory: () => record('memory')(null),
    setUp: record('setUp'),
    runAction: record('action'),
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
    getSession: async (id: string) => gateway.sessions.get(id) ?? null,
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
  const log = new RecordingLog();
  const deps = {
    gateway,
    sessions,
    store,
    models,
    editor,
    log,
    files: options.files ?? noChangedFiles,
    attachments: options.attachments ?? noAttachments,
    reports: noViewReports,
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
  const tab = (sessionId: string): ChatSurface => {
    const made = new ChatSurface('tab:1', { ...deps, sessions: ownMemory(sessions, sessionId) });
    surfaces = [...surfaces, made];
    return made;
  };
  surfaces = [...surfaces, surface];
  return { gateway, connection, surface, meta, written, done, models, log, tab };
}

/** The names of what a page was told. */
export async function shownIn(port: RecordingPort): Promise<readonly string[]> {
  await settle();
  return port.notifications.map(([name]) => name);
}
