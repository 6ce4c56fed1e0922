/** Types and functions of transcript/ for views; views import nothing else from the project. */
export type {
  Access,
  Approval,
  ApprovalDecision,
  ApprovalRequest,
  AskReason,
  Mode,
  NamedRisk,
} from '../transcript/approval';
export { isPlainEdit, isRisky, modes } from '../transcript/approval';
export type { BusyMode } from '../transcript/busyMode';
export type { ContextFile, FileOrigin, LeftFile } from '../transcript/contextFiles';
export type { ChangedFile, FileHunk, ReviewOutcome } from '../transcript/changedFile';
export { isContinuation } from '../transcript/continuation';
export type { Cost, Spending } from '../transcript/cost';
export type { DraftOnItsWay, DraftPart, MentionPart, SentPart } from '../transcript/draftPart';
export { draftAfter, joinedDraft, sentParts } from '../transcript/draftPart';
export type { HandoffTokens } from '../transcript/handoff';
export { handoffTokens } from '../transcript/handoff';
export type { Chunk, Message } from '../transcript/message';
export { answerText } from '../transcript/message';
export { isWritten, mentionsAgain } from '../transcript/promptHistory';
export type { Part, ToolCallPart, ToolOutcome, ToolResultPart } from '../transcript/part';
export type { QueuedPrompt, Session, SessionSummary } from '../transcript/session';
export type { SandboxState } from '../transcript/sandboxState';
export type { Failure, StopReason } from '../transcript/stopReason';
export { isMadeUpResult } from '../transcript/storedText';
export type { Recalled } from '../transcript/turn';
export type { ReasoningEffort } from '../transcript/reasoningEffort';
export { reasoningEfforts } from '../transcript/reasoningEffort';
export type { ToolProgress, TurnActivity, TurnEvent } from '../transcript/turnEvent';
export type { PromptVersions, Turn } from '../transcript/turn';
export type { Usage } from '../transcript/usage';
export { wordsPattern } from '../transcript/text/wordsPattern';
