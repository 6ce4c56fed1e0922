import type { QueuedPrompt, Session } from '../transcript/session';
import type { Approval, Mode } from '../transcript/approval';
import type { SessionEvent, TurnActivity, TurnEvent } from '../transcript/turnEvent';
import type { Turn } from '../transcript/turn';
import type { TranscriptPage } from '../store/requests';
import type { BusyMode } from '../transcript/steering';
import type { DraftPart, PromptDraft, SentPart } from '../transcript/draftPart';
import type { HandoffTokens } from '../transcript/handoff';
import type { SwitchReason } from '../memory/memoryProvider';

export type { BusyMode, SwitchReason };

/** A place that shows turns: a panel or a tab. `id` is stable while it lives. Handlers must not throw. */
export interface Surface {
  readonly id: string;
  /** True when the user can see it now. Default: true. Content shown out of sight stays unread. */
  isVisible?(): boolean;
  /** Events of the session this surface shows, in order. */
  onTurnEvent(sessionId: string, event: TurnEvent): void;
  onSessionEvent(event: SessionEvent): void;
  /** Called when the surface now shows this session (null: the empty state). The surface should read its snapshot
   *  again. */
  onSessionSwitched(sessionId: string | null, reason: SwitchReason): void;
}

/** Everything a surface needs to render a session from scratch, read at one time. Later events continue exactly from
 *  here. */
export interface SessionSnapshot {
  readonly session: Session;
  readonly page: TranscriptPage;
  readonly queue: readonly QueuedPrompt[];
  readonly draft: string;
  readonly draftParts: readonly DraftPart[];
  readonly openTurn: Turn | null;
  readonly activity: TurnActivity | null;
  /** The approval that the open turn waits for. */
  readonly approval: Approval | null;
  readonly mode: Mode;
}

export interface PromptSubmission {
  /** Null starts a new session on this surface. */
  readonly sessionId: string | null;
  /** Set by the surface, so that a repeated submission is stored once. */
  readonly uid: string;
  readonly text: string;
  /** Attachments. With them the text may be empty. */
  readonly parts?: readonly SentPart[];
  /** Treatment of the prompt while another turn runs. Default: the setting. */
  readonly busy?: BusyMode;
  /** The composer draft that it was sent from: storing the prompt removes it from there. Absent: the prompt was not
   *  typed into a composer. */
  readonly draft?: PromptDraft;
}

/** `queued`: another turn runs and the prompt waits on disk. It waits for its own turn, for the running turn to
 *  stop, or to steer that turn. When this resolves, the prompt is on disk and the surface may clear its composer.
 *  `notice`: a sentence for the user when the prompt went somewhere else than asked (into a branch). */
export type SubmitReceipt =
  | { readonly kind: 'started'; readonly sessionId: string; readonly turnUid: string; readonly notice?: string }
  | { readonly kind: 'queued'; readonly sessionId: string; readonly queue: readonly QueuedPrompt[] };

/** Called when it is certain that a prompt will be sent again, just before it is sent: restores the files. Must not
 *  reject. */
export type BeforeAsking = () => Promise<void>;

/** A switch of one surface. Null: the empty state. The same id twice: the session was rewound (`rewind`). */
export interface SurfaceSwitch {
  readonly surfaceId: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly reason: SwitchReason;
}

export interface CompressionReport {
  /** The segment in which the session continues. */
  readonly sessionId: string;
  readonly tokens: HandoffTokens;
  /** summary: a model wrote it · plain: no model could, so the earlier part was shortened without one. */
  readonly madeBy: 'summary' | 'plain';
}

export type SwitchTarget =
  /** The empty state; its first prompt begins a session. `private`: a session that no memory provider is notified
   *  of. */
  | { readonly reason: 'new_session'; readonly private?: boolean }
  /** Also the empty state, but ends the session shown now. That session stays in the list. */
  | { readonly reason: 'reset' }
  | { readonly reason: 'resume'; readonly sessionId: string }
  /** A copy of the session up to and including the answer `from`, or up to just before the prompt `from`. Null: a
   *  copy of everything. */
  | { readonly reason: 'branch'; readonly sessionId: string; readonly from: string | null; readonly title?: string }
  /** Removes the prompt `to`, or the newest `turns` prompts, and everything after. Before a summary it becomes a
   *  branch instead. */
  | { readonly reason: 'rewind'; readonly sessionId: string; readonly to: string }
  | { readonly reason: 'rewind'; readonly sessionId: string; readonly turns: number };

export interface SwitchOutcome {
  /** The session that the surface shows now. Null: the empty state. */
  readonly sessionId: string | null;
  /** The composer's new text, already saved as the session's draft. Null: the composer keeps its text. */
  readonly draft: string | null;
  /** A sentence for the user when the result differs from the request. */
  readonly notice: string | null;
  /** For a rewind: the turn that was removed together with everything after it. */
  readonly rewoundTurn?: string;
}

export interface ForgetReport {
  readonly sessionIds: readonly string[];
  /** Sessions that were branched from it: they hold copies, and stay. */
  readonly branches: readonly { readonly sessionId: string; readonly title: string | null }[];
  /** Sentences for the user about everything that could not be erased. Empty when nothing is left anywhere. */
  readonly sentences: readonly string[];
}

/** A request that the gateway cannot fulfill, with a message for the user. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  constructor(
    readonly causeClass: 'noModel' | 'notFound' | 'invalid' | 'busy' | 'closing' | 'notCompressed' | 'stopped',
    message: string,
  ) {
    super(message);
  }
}
