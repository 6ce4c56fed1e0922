import type { WebviewPanel } from 'vscode';
import type { Disposable } from '../../base/disposable';
import type { SessionStore } from '../../store/session/sessionStore';
import type { Session } from '../../transcript/session';

/** Shows the stored rows of sessions. */
export interface Transcripts {
  /** Shows a session of this window's history in a tab, from this message. */
  open(sessionId: string, messageUid: string | null): void;
  /** Shows sessions of a private copy in this panel: nothing runs in them, nothing changes, and no action for sessions
   *  of this window works. */
  showCopy(panel: WebviewPanel, copied: CopiedSessions): ShownCopy;
}

export interface ShownCopy extends Disposable {
  readonly sessionId: string;
  show(sessionId: string): Promise<void>;
}

export interface CopiedSessions {
  readonly sessions: Omit<SessionStore, 'close'>;
  /** Session to show first. */
  readonly shown: string;
  /** The folder or file of the sessions, for sentences. */
  readonly place: string;
  /** The file, if they are of one. */
  readonly file?: TranscriptFile;
  /** The other folder, if they are of one. */
  readonly folder?: {
    readonly path: string;
    /** Copies the session to this folder and opens it. */
    openHere(sessionId: string): Promise<void>;
    export(sessionId: string): Promise<void>;
  };
  /** Called with the shown session, so that the tab's title follows it. */
  readonly onSession: (session: Session) => void;
}

/** A history file, as the tab that shows it needs it. */
export interface TranscriptFile {
  /** Number of sessions, and the time of the reading in seconds since the epoch. Before it was read: none, and null. */
  state(): { readonly sessions: number; readonly readAt: number | null };
  /** Returns the session to show: `shown`, if the file has it. Reads the file where necessary. Rejects with a sentence
   *  when it cannot be read. */
  sessionToShow(shown: string): Promise<string>;
  act(action: 'import' | 'chooseSession' | 'reload' | 'openAsText'): Promise<void>;
}
