import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { t } from '../../base/translate';
import { GatewayError } from '../../gateway/gateway';
import { registerCommands } from '../../host/common/commands';
import { describeError } from '../../host/common/describeError';
import { chatSurfaceId } from '../../host/chat/activeChat';
import type { WindowContext } from '../../host/window/windowContext';
import { demoInfo } from '../../models/demo/demoModel';
import type { CrashDemoRun } from '../../protocol/deliveryProtocol';

/** Characters that the user must have seen before the plug is pulled: enough to check that they stay. */
const shownBefore = 400;
/** Milliseconds that Demo may take to show as much. */
const timeoutMs = 60_000;
/** Seconds after the plug in which a restored panel takes the focus again: the restart took it, and nothing else has
 *  claimed it. */
const comesBackWithin = 60;
/** Prompt for which Demo has a long answer. */
const prompt = 'Give me a long answer about this folder';

/** Pull the Plug: ends the extension host in the middle of an answer. */
export function register(window: WindowContext): void {
  const record = new CrashDemoRecord(window);
  window.own(window.crashDemo.fill(record));
  const demo = window.own(new CrashDemo(window, record));
  window.own(registerCommands({ pullThePlug: () => demo.run() }, window.log));
}

/** Runs Pull the Plug…: kills the extension host in the middle of an answer of the Demo model, in a separate private
 *  session. The user can then check that no words are lost. Asks first, and refuses while any other answer is being
 *  written. */
export class CrashDemo implements Disposable {
  private readonly lifetime = new DisposableStore();

  constructor(
    private readonly window: Pick<
      WindowContext,
      'gateway' | 'history' | 'reports' | 'chat' | 'files' | 'ids' | 'clock' | 'log'
    >,
    private readonly record: CrashDemoRecord,
  ) {
    const { gateway, reports, clock, chat, log } = window;
    // A user who continues in that session has seen how it was restored.
    this.lifetime.register(
      gateway.surfaces.onDidTurnEvent(({ event }) => {
        const { current } = record;
        if (current !== null && event.kind === 'turnOpened' && event.turn.uid !== current.turnUid) record.seen();
      }),
    );
    const returning = this.lifetime.register(
      reports.onDidReport((conversationId) => {
        const { current } = record;
        if (current?.conversationId !== conversationId) return;
        returning.dispose();
        if (clock.now() - current.at <= comesBackWithin)
          chat
            .focus()
            .catch((error: unknown) =>
              log.warn(`The panel could not be given the focus: ${describeError(error).sentence}`),
            );
      }),
    );
  }

  /** Rejects with a sentence when it cannot run now. */
  async run(): Promise<void> {
    this.refuse();
    const detail = t(
      'Hermes starts a scripted answer, then crashes the extension host on purpose, so that you can check that every word you saw is still there. All extensions in this window restart; your files and unsaved edits are safe.',
    );
    const yes = t('Pull the Plug');
    if ((await vscode.window.showWarningMessage(t('Pull the plug?'), { modal: true, detail }, yes)) !== yes) return;
    this.refuse();
    const { conversationId, turnUid } = await this.begin();
    const acknowledged = await this.untilShown(conversationId, turnUid);
    this.record.write({ conversationId, turnUid, at: this.window.clock.now(), acknowledged });
    process.kill(process.pid, 'SIGKILL');
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private refuse(): void {
    const { gateway, history } = this.window;
    const { kind } = history.status.shown;
    if (gateway.turns.running().some(({ isWaiting }) => !isWaiting))
      throw new GatewayError('busy', t('Hermes is answering in this window. Wait or stop it, then try again.'));
    if (kind === 'readOnly' || kind === 'elsewhere' || kind === 'failed') {
      throw new GatewayError(
        'invalid',
        t('Sessions can’t be saved in this window right now, so this demo won’t work. See the chat for details.'),
      );
    }
  }

  private async begin(): Promise<{ readonly conversationId: string; readonly turnUid: string }> {
    const { gateway, history, chat, files, ids, clock } = this.window;
    await chat.show();
    const startedAt = clock.now();
    const session = await history.store.createSession({
      id: ids.sessionId(startedAt),
      startedAt,
      model: demoInfo.ref,
      folder: files.roots()[0]?.path ?? null,
      private: true,
    });
    await gateway.switching.switchSession(chatSurfaceId, { reason: 'resume', sessionId: session.id });
    const receipt = await gateway.intake.submit(chatSurfaceId, { sessionId: session.id, uid: ids.uid(), text: prompt });
    if (receipt.kind !== 'started')
      throw new GatewayError('busy', t('The scripted answer couldn’t start. Nothing was crashed. Try again.'));
    return { conversationId: session.conversationId, turnUid: receipt.turnUid };
  }

  /** Resolves with the number of characters of the turn that the panel reports as shown, once that is enough. */
  private untilShown(conversationId: string, turnUid: string): Promise<number> {
    const { reports, gateway, clock } = this.window;
    const waiting = new DisposableStore();
    return new Promise<number>((resolve, reject) => {
      const fail = (): void =>
        reject(
          new GatewayError(
            'invalid',
            t(
              'The scripted answer wasn’t shown long enough. Nothing was crashed. Keep the chat visible and try again.',
            ),
          ),
        );
      waiting.register({ dispose: clock.after(timeoutMs, fail) });
      waiting.register(
        gateway.surfaces.onDidTurnEvent(({ event }) =>
          event.kind === 'turnSettled' && event.turn.uid === turnUid ? fail() : undefined,
        ),
      );
      waiting.register(
        reports.onDidReport((reportedId) => {
          const shown = reportedId === conversationId ? this.shownOf(conversationId, turnUid) : 0;
          if (shown >= shownBefore) resolve(shown);
        }),
      );
    }).finally(() => waiting.dispose());
  }

  /** Takes the largest report of each part. */
  private shownOf(conversationId: string, turnUid: string): number {
    const parts = new Map<string, number>();
    for (const { messageUid, part, length, turnUid: of } of this.window.reports.entriesOf(conversationId)) {
      const key = `${messageUid} ${part}`;
      if (of === turnUid) parts.set(key, Math.max(parts.get(key) ?? 0, length));
    }
    return [...parts.values()].reduce((sum, length) => sum + length, 0);
  }
}

/** Seconds for which the end of a process is still reported. */
const worthTelling = 24 * 60 * 60;

const recordSchema = v.object({
  conversationId: v.string(),
  turnUid: v.string(),
  at: v.number(),
  /** Characters that the view had reported as shown. The user's notice does not use this number: the view compares
   *  its own record with the disk. */
  acknowledged: v.number(),
});

type PlannedCrash = v.InferOutput<typeof recordSchema>;

/** Record of a planned Pull the Plug, written to disk before the process is killed, so that the next window knows it
 *  was no accident. */
export class CrashDemoRecord {
  private read: CrashDemoRun | null | undefined;

  constructor(private readonly window: Pick<WindowContext, 'clock' | 'history'>) {}

  /** The plug that was pulled before this process started. Null: none, or the user has already seen it. */
  get current(): CrashDemoRun | null {
    if (this.read === undefined) this.read = this.fromDisk();
    return this.read;
  }

  /** Writes the record. When this returns, the record would survive a power cut. */
  write(intention: PlannedCrash): void {
    const { file } = this;
    mkdirSync(dirname(file), { recursive: true });
    const handle = openSync(file, 'w', 0o600);
    try {
      writeSync(handle, JSON.stringify(intention));
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  }

  seen(): void {
    this.read = null;
    rmSync(this.file, { force: true });
  }

  private get file(): string {
    return join(this.window.history.folder, 'pulled-plug.json');
  }

  private fromDisk(): CrashDemoRun | null {
    const { file } = this;
    if (!existsSync(file)) return null;
    const found = v.safeParse(v.pipe(v.string(), v.parseJson(), recordSchema), readFileSync(file, 'utf8'));
    if (!found.success || this.window.clock.now() - found.output.at > worthTelling) {
      rmSync(file, { force: true });
      return null;
    }
    const { conversationId, turnUid, at } = found.output;
    return { conversationId, turnUid, at };
  }
}
