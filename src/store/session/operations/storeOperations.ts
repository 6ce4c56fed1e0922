import { StoreQueries } from '../queries/storeQueries';
import { SpendingTable } from './spending';
import { TurnClosing } from './turnClosing';
import { TranscriptRewriting } from './transcriptRewriting';
import { SegmentCompression } from './segmentCompression';
import { RangeHiding } from './rangeHiding';
import { JoinedPrompts } from './joinedPrompts';
import { PromptVersionTable } from './promptVersions';
import { QueuedPrompts } from './queuedPrompts';
import { TurnLifecycle } from './turnLifecycle';
import { SessionMarks } from './sessionMarks';
import { Titling } from './sessionMarks';
import { Branching } from './branching';
import { Rewinding } from './rangeHiding';
import { Forgetting } from './forgetting';

/** The tables and queries of a store, and what changes more than one table. */
export class StoreOperations extends StoreQueries {
  readonly spending = new SpendingTable(this);
  readonly closing = new TurnClosing(this);
  readonly rewriting = new TranscriptRewriting(this);
  readonly compression = new SegmentCompression(this);
  readonly ranges = new RangeHiding(this);
  readonly joined = new JoinedPrompts(this);
  readonly versions = new PromptVersionTable(this);
  readonly queuedPrompts = new QueuedPrompts(this);
  readonly turnLifecycle = new TurnLifecycle(this);
  readonly marks = new SessionMarks(this);
  readonly titling = new Titling(this);
  readonly branching = new Branching(this);
  readonly rewinding = new Rewinding(this);
  readonly forgetting = new Forgetting(this);
}
