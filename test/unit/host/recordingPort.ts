import type { WebviewPort } from '../../../src/host/webviews/viewEndpoint';
import { protocolVersion, type ToView } from '../../../src/protocol/envelope';

/** A webview as the host sees it: what it was posted, and a way to let its page say something. */
export class RecordingPort implements WebviewPort {
  private listeners: readonly ((message: unknown) => void)[] = [];
  readonly posted: ToView[] = [];

  postMessage(message: ToView): Promise<boolean> {
    // Copied as the editor would: what cannot cross to a webview fails here too.
    this.posted.push(structuredClone(message));
    return Promise.resolve(true);
  }

  onDidReceiveMessage(listener: (message: unknown) => void): { dispose(): void } {
    this.listeners = [...this.listeners, listener];
    return { dispose: () => (this.listeners = this.listeners.filter((other) => other !== listener)) };
  }

  receive(message: unknown): void {
    for (const listener of this.listeners) listener(message);
  }

  command(name: string, payload: unknown = {}): void {
    this.receive({ v: protocolVersion, kind: 'command', name, payload });
  }

  request(id: number, name: string, payload: unknown = {}): void {
    this.receive({ v: protocolVersion, kind: 'request', id, name, payload });
  }

  /** Payloads of the notifications posted so far, in order, as [name, payload]. */
  get notifications(): readonly (readonly [string, unknown])[] {
    return this.posted.flatMap((message) =>
      message.kind === 'notification' ? [[message.name, message.payload] as const] : [],
    );
  }

  get responses(): readonly ToView[] {
    return this.posted.filter((message) => message.kind === 'response');
  }
}

/** Lets everything that is already due happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
}
