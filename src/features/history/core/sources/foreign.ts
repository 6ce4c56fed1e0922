import type { ImagePart, TextPart, ThinkingPart, ToolCallPart, ToolResultPart } from '../../../../transcript/part';
import type { Usage } from '../../../../transcript/usage';
import type { SourceName } from '../../../../transcript/sourceTitles';

/** Position of a session in its source: a file, and the key of the session inside it when the file holds several. */
interface ForeignLocation {
  readonly path: string;
  readonly key: string | null;
}

/** Relation of a session to the session it came from. */
export interface ForeignLineage {
  readonly kind: 'branch' | 'compression' | 'delegate';
  /** The parent's id in the same source. It may no longer exist there. */
  readonly parentId: string;
}

/** Facts about a session. Null: the source does not say. */
export interface SessionFacts {
  readonly lineage: ForeignLineage | null;
  readonly title: string | null;
  /** Folder in which the agent worked (cwd). */
  readonly folder: string | null;
  readonly model: string | null;
  /** Seconds since the epoch. */
  readonly startedAt: number | null;
  /** Seconds since the epoch: the last sign of life. */
  readonly endedAt: number | null;
  readonly usage: Usage | null;
  /** Version of the program that wrote the session. */
  readonly writtenBy: string | null;
}

/** A session of another agent. `read` reports facts that `findIn` could not know cheaply. */
export interface ForeignSession extends SessionFacts {
  readonly source: SourceName;
  /** The session's id in its source. */
  readonly id: string;
  readonly location: ForeignLocation;
  /** Null when counting would require reading the whole session. */
  readonly messageCount: number | null;
}

/** Image that the source only refers to. */
export interface ImageLinkPart {
  readonly kind: 'imageLink';
  readonly url: string;
}

export type ForeignPart = TextPart | ThinkingPart | ImagePart | ImageLinkPart | ToolCallPart | ToolResultPart;

/** Place of a message in the conversation.
 *  shown: the user saw it, and the model still gets it.
 *  compacted: the user saw it; a summary replaced it for the model.
 *  summary: replaces the messages before it for the model. Without parts: it cannot be read.
 *  hidden: the program's own text for the model, which the user did not see.
 *  abandoned: taken back by an edit or a rewind, or part of another branch.
 *  sidechain: a sub-agent's message inside its parent's session. */
export type ForeignView = 'shown' | 'compacted' | 'summary' | 'hidden' | 'abandoned' | 'sidechain';

export interface ForeignMessage {
  /** Unique in its session. */
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'tool' | 'system';
  readonly parts: readonly ForeignPart[];
  readonly view: ForeignView;
  readonly place: ForeignPlace;
  /** Seconds since the epoch. Default, as of the fields below: the source does not say. */
  readonly createdAt?: number | null;
  readonly model?: string | null;
  readonly finishReason?: string | null;
  /** Tokens of the request that produced it. */
  readonly usage?: Usage | null;
  /** Sentences about content that could not be carried over. Default: none. */
  readonly omitted?: readonly string[];
  /** Of a summary: true for the id of a message before it that the model still gets. Default: those that are
   *  `shown`. */
  readonly keeps?: (id: string) => boolean;
}

/** Place of a record: a file, and the number of its line, row or element in it, counted from 1. */
export interface ForeignPlace {
  readonly path: string;
  readonly unit: 'file' | 'line' | 'row' | 'element';
  readonly number: number;
}

/** bookkeeping: a record of the program for itself, without content of the conversation. repeated: a record that is
 *  in the source twice. unknown: a kind of record or version that this reader does not know. damaged: cannot be
 *  read. */
export type SkipKind = 'bookkeeping' | 'repeated' | 'unknown' | 'damaged';

export interface Skipped {
  readonly place: ForeignPlace;
  readonly kind: SkipKind;
  /** A sentence. */
  readonly reason: string;
}
