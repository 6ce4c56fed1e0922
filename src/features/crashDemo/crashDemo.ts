import type { Clock } from '../../base/clock';
import type { GatewayPart } from '../../gateway/conversationGateway';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Ids } from '../../base/ids';
import type { Translate } from '../../base/translate';
import { GatewayError } from '../../gateway/gateway';
import { demoInfo } from '../../models/demo/demoModel';
import type { ViewStoreState } from '../../protocol/chatProtocol';
import type { SessionStore } from '../../store/session/sessionStore';
import type { DeliveryReports } from '../../host/chat/deliveryReports';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import * as v from 'valibot';
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

export interface CrashDemoDeps {
  readonly gateway: GatewayPart<'turns', 'running' | 'stop'> &
    GatewayPart<'switching', 'switchSession'> &
    GatewayPart<'intake', 'submit'> &
    GatewayPart<'surfaces', 'onDidTurnEvent'>;
  readonly sessions: Pick<SessionStore, 'createSession'>;
  readonly storeState: () => ViewStoreState['kind'];
  readonly reports: Pick<DeliveryReports, 'entriesOf' | 'onDidReport'>;
  readonly record: CrashDemoRecord;
  /** Id of the panel. */
  readonly surfaceId: string;
  readonly showChat: () => Promise<void>;
  /** Moves the focus to the panel's composer. */
  readonly focusChat: () => void;
  readonly folder: () => string | null;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly t: Translate;
  /** Explains what will happen and resolves to true when the user agrees. */
  readonly confirm: (question: string, detail: string, yes: string) => Promise<boolean>;
  /** Ends this process at once, like a crash. */
  readonly kill: () => void;
}

/** Runs Pull the Plug…: kills the extension host in the middle of an answer of the Demo model, in a separate private
 *  session. The user can then check that no words are lost. Asks first, and refuses while any other answer is being
 *  written. */
export class CrashDemo implements Disposable {
  private readonly lifetime = new DisposableStore();

  constructor(private readonly deps: CrashDemoDeps) {
    // A user who continues in that session has seen how it was restored.
    this.lifetime.register(
      deps.gateway.surfaces.onDidTurnEvent(({ event }) => {
        const { current } = deps.record;
        if (current !== null && event.kind === 'turnOpened' && event.turn.uid !== current.turnUid) deps.record.seen();
      }),
    );
    const returning = this.lifetime.register(
      deps.reports.onDidReport((conversationId) => {
        const { current } = deps.record;
        if (current?.conversationId !== conversationId) return;
        returning.dispose();
        if (deps.clock.now() - current.at <= comesBackWithin) deps.focusChat();
      }),
    );
  }

  /** Rejects with a sentence when it cannot run now. */
  async run(): Promise<void> {
    const { t, confirm } = this.deps;
    this.refuse();
    const detail = t(
      'Hermes starts a scripted answer, then crashes the extension host on purpose, so that you can check that every word you saw is still there. All extensions in this window restart; your files and unsaved edits are safe.',
    );
    if (!(await confirm(t('Pull the plug?'), detail, t('Pull the Plug')))) return;
    this.refuse();
    const { conversationId, turnUid } = await this.begin();
    const acknowledged = await this.untilShown(conversationId, turnUid);
    this.deps.record.write({ conversationId, turnUid, at: this.deps.clock.now(), acknowledged });
    this.deps.kill();
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private refuse(): void {
    const { gateway, storeState, t } = this.deps;
    if (gateway.turns.running().some(({ isWaiting }) => !isWaiting))
      throw new GatewayError('busy', t('Hermes is answering in this window. Wait or stop it, then try again.'));
    if (storeState() === 'readOnly' || storeState() === 'elsewhere' || storeState() === 'failed') {
      throw new GatewayError(
        'invalid',
        t('Sessions can’t be saved in this window right now, so this demo won’t work. See the chat for details.'),
      );
    }
  }

  private async begin(): Promise<{ readonly conversationId: string; readonly turnUid: string }> {
    const { gateway, sessions, surfaceId, showChat, folder, ids, clock, t } = this.deps;
    await showChat();
    const startedAt = clock.now();
    const session = await sessions.createSession({
      id: ids.sessionId(startedAt),
      startedAt,
      model: demoInfo.ref,
      folder: folder(),
      private: true,
    });
    await gateway.switching.switchSession(surfaceId, { reason: 'resume', sessionId: session.id });
    const receipt = await gateway.intake.submit(surfaceId, { sessionId: session.id, uid: ids.uid(), text: prompt });
    if (receipt.kind !== 'started')
      throw new GatewayError('busy', t('The scripted answer couldn’t start. Nothing was crashed. Try again.'));
    return { conversationId: session.conversationId, turnUid: receipt.turnUid };
  }

  /** Resolves with the number of characters of the turn that the panel reports as shown, once that is enough. */
  private untilShown(conversationId: string, turnUid: string): Promise<number> {
    const { reports, gateway, clock, t } = this.deps;
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
    for (const { messageUid, part, length, turnUid: of } of this.deps.reports.entriesOf(conversationId)) {
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

  constructor(
    private readonly file: () => string,
    private readonly now: () => number,
  ) {}

  /** The plug that was pulled before this process started. Null: none, or the user has already seen it. */
  get current(): CrashDemoRun | null {
    if (this.read === undefined) this.read = this.fromDisk();
    return this.read;
  }

  /** Writes the record. When this returns, the record would survive a power cut. */
  write(intention: PlannedCrash): void {
    const file = this.file();
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
    rmSync(this.file(), { force: true });
  }

  private fromDisk(): CrashDemoRun | null {
    const file = this.file();
    if (!existsSync(file)) return null;
    const found = v.safeParse(v.pipe(v.string(), v.parseJson(), recordSchema), readFileSync(file, 'utf8'));
    if (!found.success || this.now() - found.output.at > worthTelling) {
      rmSync(file, { force: true });
      return null;
    }
    const { conversationId, turnUid, at } = found.output;
    return { conversationId, turnUid, at };
  }
}
