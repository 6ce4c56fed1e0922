import { Emitter } from '../../base/disposable';
import type { ChatSync } from '../../protocol/syncProtocol';
import type { ServerAccount } from '../../transcript/verification';

/** What the core may ask of sync. */
interface SyncActions {
  setUp(): Promise<void>;
  stopElsewhere(): Promise<void>;
  takeOver(): Promise<void>;
  showSync(): Promise<void>;
  /** Compares a session with the server; null when it is not synchronized. Never rejects. */
  account(conversationId: string): Promise<ServerAccount | null>;
}

/** What a window shows of sync, and what it asks of it. Without that feature there is nothing to show or to ask. */
export class SyncView {
  private readonly changes = new Emitter<void>();
  private shown: ChatSync | null = null;
  private shownLine: string | null = null;
  private actions: SyncActions | null = null;
  readonly onDidChange = this.changes.event;

  /** Null while this history is not synchronized, or not open here. */
  get current(): ChatSync | null {
    return this.shown;
  }

  /** For the status bar. */
  get line(): string | null {
    return this.shownLine;
  }

  get isOffered(): boolean {
    return this.actions !== null;
  }

  connect(actions: SyncActions): void {
    this.actions = actions;
  }

  show(sync: ChatSync | null, line: string | null): void {
    this.shownLine = line;
    if (JSON.stringify(sync) === JSON.stringify(this.shown)) return;
    this.shown = sync;
    this.changes.fire();
  }

  async account(conversationId: string): Promise<ServerAccount | null> {
    return (await this.actions?.account(conversationId)) ?? null;
  }

  async run(action: Exclude<keyof SyncActions, 'account'>): Promise<void> {
    await this.actions?.[action]();
  }
}
