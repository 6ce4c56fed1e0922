import * as v from 'valibot';
import type { Message } from '../transcript/message';
import type { Session } from '../transcript/session';
import type { Turn } from '../transcript/turn';

/** Payloads of the read-only transcript tab. */
export const transcriptCommands = {
  ready: v.object({}),
  openInChat: v.object({}),
  copy: v.object({ text: v.string() }),
  openLink: v.object({ href: v.string() }),
} as const;

export const transcriptRequests = {
  loadRows: v.object({ sessionId: v.string(), before: v.nullable(v.number()), limit: v.number() }),
} as const;

export interface TranscriptResults {
  readonly loadRows: TranscriptRows;
}

export interface TranscriptRows {
  readonly messages: readonly Message[];
  readonly turns: readonly Turn[];
  readonly hasEarlier: boolean;
  readonly total: number;
}

export interface TranscriptNotifications {
  readonly bootstrap: TranscriptState;
  /** Rows changed on disk: the tab reads again. */
  readonly changed: { readonly sessionId: string };
  readonly reveal: { readonly messageUid: string };
}

export interface TranscriptState {
  readonly session: Session | null;
  readonly rows: TranscriptRows | null;
  /** Why nothing can be shown, in words. */
  readonly problem: string | null;
  readonly reveal: string | null;
  readonly localization: Readonly<Record<string, string>>;
}
