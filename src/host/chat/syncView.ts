import { Emitter } from '../../base/disposable';
import type { ChatSync } from '../../protocol/syncProtocol';
import type { ServerAccount } from '../../transcript/verification';

/** What a chat may ask of sync. */
interface ChatActions {
  stopElsewhere(): Promise<void>;
  takeOver(): Promise<void>;
  showSync(): Promise<void>;
}

interface SyncActions extends ChatActions {
  /** Compares a session with the server; null when it is not synchronized. Never rejects. */
  account(conversationId: string): Promise<ServerAccount | null>;
}

/** What the chats and Verify of a window show of sync, and what they ask of it. They are built before sync is. */
export class SyncView {
  private readonly changes = new Emitter<void>();
  private shown: ChatSync | null = null;
  private actions: SyncActions | null = null;
  readonly onDidChange = this.changes.event;

  get current(): ChatSync | null {
    return this.shown;
  }

  connect(actions: SyncActions): void {
    this.actions = actions;
  }

  show(sync: ChatSync | null): void {
    if (JSON.stringify(sync) === JSON.stringify(this.shown)) return;
    this.shown = sync;
    this.changes.fire();
  }

  async account(conversationId: string): Promise<ServerAccount | null> {
    return (await this.actions?.account(conversationId)) ?? null;
  }

  async run(action: keyof ChatActions): Promise<void> {
    await this.actions?.[action]();
  }
}
