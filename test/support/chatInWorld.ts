import { Emitter } from '../../src/base/disposable';
import { ChatSurface } from '../../src/host/chat/chatSurface';
import type { ChatEditor } from '../../src/host/chat/chatHandlers';
import type { ChatModels } from '../../src/host/models/modelService';
import { StoreStatus } from '../../src/host/storage/storeStatus';
import { createChat, startChat } from '../../src/webview/chat/createChat';
import type { Chat } from '../../src/webview/chat/state/chat';
import type { ChatProtocol } from '../../src/webview/chat/connection/chatHost';
import { answersIn, conversationBlocks } from '../../src/webview/chat/state/conversationRows';
import { noMemory, type ViewMemory } from '../../src/webview/chat/connection/viewMemory';
import { connectToHost } from '../../src/webview/rpc';
import type { Gateway } from '../../src/gateway/conversationGateway';
import type { SessionStore } from '../../src/store/session/sessionStore';
import { answerText, type Message } from '../../src/transcript/message';
import { StoreAtHand } from '../unit/host/storeAtHand';
import { modelRow } from './builders/viewMessages';
import type { World } from './world';
import { noCodeActions } from './noCodeActions';
import { Drafts } from '../../src/webview/chat/drafts/drafts';
import { PromptSender } from '../../src/webview/chat/drafts/promptSender';
import { noAttachments, noChangedFiles, noViewReports } from './emptyHost';

/** What a person sees of a session: prompts and answers in order, and the versions of each prompt that has others. */
export interface SeenSession {
  readonly texts: readonly string[];
  readonly versions: readonly (readonly string[])[];
}

const nothing = async (): Promise<void> => undefined;
const editor: ChatEditor = {
  openTranscript: nothing,
  pickSession: nothing,
  pickModel: nothing,
  openSettings: nothing,
  showLog: () => undefined,
  copy: nothing,
  openLink: nothing,
  code: noCodeActions,
  confirm: async () => true,
  runFeatureCommand: nothing,
  setUp: nothing,
  replaceKey: async () => false,
  runAction: nothing,
};

let loads = 0;

/** The chat from the composer to the disk: the view's controller without a page, the host's bridge, the world's gateway and store. Messages
 *  between view and host are copied and take a moment, as the editor's do. */
export class ChatInWorld {
  readonly chat: Chat;
  private readonly surface: ChatSurface;
  /** What the page remembered, the newest last. */
  readonly remembered: ViewMemory[];
  private uids = 0;
  private onTheWay = 0;

  /** The last argument: for a page of another window, or one that is loaded again. */
  constructor(
    private readonly world: World,
    surfaceId = 'chat',
    {
      gateway = world.gateway,
      store = world.store,
      at = new StoreAtHand(),
      memory = noMemory(),
    }: Partial<{ gateway: Gateway; store: SessionStore; at: StoreAtHand; memory: ViewMemory }> = {},
  ) {
    this.remembered = [memory];
    const loaded = ++loads;
    const models: ChatModels = {
      stateOf: () => ({ chosen: modelRow(), problem: null }),
      choices: async () => ({ models: [], problems: [] }),
      setup: { searching: false, entries: [] },
      discover: async () => ({ searching: false, entries: [] }),
      onDidChange: new Emitter<void>().event,
    };
    this.surface = new ChatSurface(surfaceId, {
      gateway,
      sessions: store,
      models,
      editor,
      files: noChangedFiles,
      attachments: noAttachments,
      reports: noViewReports,
      onChange: () => undefined,
      store: new StoreStatus(at),
      surroundings: () => ({
        restricted: false,
        folderName: 'sample',
        demoPrompts: [],
        localization: {},
        promptFiles: [],
      }),
      log: {
        trace: () => undefined,
        info: () => undefined,
        warn: () => undefined,
        error: (message, error) => this.failures.push(`${message} ${String(error)}`),
      },
    });
    const page = new EventTarget();
    const fromView = new Emitter<unknown>();
    const later = (deliver: () => void): void => {
      this.onTheWay++;
      setImmediate(() => {
        this.onTheWay--;
        deliver();
      });
    };
    this.surface.connect({
      postMessage: async (message) => {
        const data = structuredClone(message);
        later(() => page.dispatchEvent(new MessageEvent('message', { data })));
        return true;
      },
      onDidReceiveMessage: fromView.event,
    });
    const api = {
      postMessage: (message: unknown) => later(() => fromView.fire(structuredClone(message))),
      getState: () => undefined,
      setState: () => undefined,
    };
    this.chat = createChat(
      {
        host: connectToHost<ChatProtocol>(api, page),
        timers: { nowMs: () => Date.now(), after: () => () => undefined },
        newUid: () => `view${surfaceId}${loaded}-${++this.uids}`,
        memory: {
          recalled: memory,
          remember: (change) => void this.remembered.push({ ...(this.remembered.at(-1) ?? memory), ...change }),
        },
      },
      () => undefined,
    );
    startChat(this.chat);
  }

  /** What the host could not do and told nobody. */
  readonly failures: string[] = [];

  get shownSession(): string | null {
    return this.chat.state.peek().conversation?.session.id ?? null;
  }

  get composer(): string {
    return this.chat.part(Drafts).text.peek();
  }

  /** What the view shows now. */
  seen(): SeenSession | null {
    const { conversation } = this.chat.state.peek();
    if (conversation === null) return null;
    const blocks = conversationBlocks(conversation, []);
    const messages = blocks.flatMap((block) => [
      ...(block.prompt === null ? [] : [block.prompt]),
      ...block.rows.flatMap((row) => answersIn(row).map((answer) => answer.message)),
    ]);
    return {
      texts: messages.map(({ parts }) => answerText(parts)),
      versions: blocks.flatMap(({ versions }) => (versions.length > 1 ? [versions] : [])),
    };
  }

  /** What is stored of a session, as a person should see it. */
  async stored(sessionId: string): Promise<SeenSession> {
    const { messages, versions } = await this.world.store.readTranscript({ sessionId, limit: 10_000 });
    const isSeen = ({ role, visibility, parts }: Message): boolean =>
      visibility.kind === 'shown' && (role === 'user' || (role === 'assistant' && answerText(parts) !== ''));
    return {
      texts: messages.filter(isSeen).map(({ parts }) => answerText(parts)),
      versions: versions.map((prompt) => prompt.versions),
    };
  }

  /** Resolves when no turn runs and nothing is under way between view, host and store. */
  async quiet(): Promise<void> {
    for (let calm = 0; calm < 4;) {
      await this.world.idle();
      await new Promise((resolve) => setTimeout(resolve, 2));
      calm = this.onTheWay === 0 && !this.chat.part(PromptSender).busy.peek() ? calm + 1 : 0;
    }
  }

  dispose(): void {
    this.surface.dispose();
  }
}
