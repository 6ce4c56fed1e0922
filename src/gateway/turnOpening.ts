import { t } from '../base/translate';
import type { OpenTurn, SettleTurn } from '../store/requests';
import { continuationPart } from '../transcript/continuation';
import { type PromptDraft, promptParts, type SentPart } from '../transcript/draftPart';
import type { Message } from '../transcript/message';
import type { Session } from '../transcript/session';
import type { Turn } from '../transcript/turn';
import { GatewayError } from './gateway';
import type { GatewayServices } from './gatewayServices';

interface Opening {
  readonly session: Session;
  readonly model: string;
  readonly prompt: {
    readonly uid: string;
    readonly text: string;
    readonly parts?: readonly SentPart[];
    readonly draft?: PromptDraft;
  };
  /** Set when the user wrote no prompt: the turn continues the answer to the prompt in `asked`. */
  readonly continuation?: { readonly asked: Message | null };
  readonly queuedUid?: string;
  readonly replaces?: { readonly turnUid: string; readonly reason: 'retried' | 'edited' };
}

/** Writes a turn's first rows: its prompt and the turn itself, on disk before any request to a model. */
export class TurnOpening {
  constructor(private readonly parts: Pick<GatewayServices, 'store' | 'clock' | 'ids'>) {}

  async open({
    session,
    model,
    prompt,
    continuation,
    ...how
  }: Opening): Promise<{ readonly turn: Turn & { readonly state: 'running' }; readonly userMessage: Message }> {
    const now = this.parts.clock.now();
    const turnUid = this.parts.ids.uid();
    const input: OpenTurn = {
      turnUid,
      sessionId: session.id,
      userMessage: {
        uid: prompt.uid,
        sessionId: session.id,
        turnUid,
        createdAt: now,
        visibility: { kind: 'shown' },
        carriedFrom: null,
        role: 'user',
        parts: continuation === undefined ? promptParts(prompt.text, prompt.parts) : [continuationPart()],
      },
      model,
      startedAt: now,
      ...(prompt.draft === undefined ? {} : { draft: prompt.draft }),
      ...how,
    };
    const { turn, userMessage } = await this.parts.store.openTurn(input);
    if (turn.state !== 'running') throw new GatewayError('busy', t('This prompt was already answered.'));
    return { turn, userMessage };
  }

  /** Returns true when a stored turn waits for the user. Called only when no turn runs here, so a `running` row
   *  means that its opening was stored although the store reported a failure. That turn is closed and its prompt
   *  kept; otherwise the session would stay busy. `known`: the open turn as just read. If it was running then, it
   *  is read again. */
  async waitsInStore(session: Session, known?: Turn | null): Promise<boolean> {
    const isKnown = known !== undefined && known?.state !== 'running';
    const open = isKnown ? known : await this.parts.store.openTurnOf(session.id);
    if (open?.state === 'running') await this.parts.store.settleTurn(neverRan(open.uid, this.parts.clock.now()));
    return open?.state === 'waiting';
  }
}

/** The settlement for a turn that was opened and never ran: its prompt is stored, and Retry sends it again. */
function neverRan(turnUid: string, now: number): SettleTurn {
  const sentence = t('This prompt was saved, but it was not sent because the disk reported a problem. Retry.');
  const failure = { cause: 'unknown' as const, sentence, technical: 'The turn was opened and nobody runs it.' };
  return {
    turnUid,
    settledAt: now,
    settlement: { outcome: 'failed', stopReason: 'storeFailed', failure },
    messages: [],
  };
}
