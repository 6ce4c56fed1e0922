import type { ReplyUsage, Step } from './reply';

/** One SSE event with what of it a person would see. Delivered only when its last byte was written. */
export interface Frame {
  readonly bytes: string;
  readonly text?: string;
  readonly thinking?: string;
}

/** Turns steps into the events of one protocol. Made anew for each response. */
export interface FrameWriter {
  begin(): readonly Frame[];
  step(step: Exclude<Step, { readonly kind: 'pause' | 'wait' }>): readonly Frame[];
}

export interface FrameOptions {
  readonly model: string;
  readonly requestNumber: number;
  readonly includeUsage: boolean;
  readonly issuesSignatures: boolean;
  readonly prefixUsage: ReplyUsage;
}
