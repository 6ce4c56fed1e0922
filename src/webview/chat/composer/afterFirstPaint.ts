export { AttachMenu } from './AttachMenu';
export { AttachmentStrip, CurrentFileChip } from './AttachmentStrip';
export { CommandList, MentionList } from './SuggestionList';
export { runCommand } from './commandRunner';
export { DropTarget, takePasted } from './DropTarget';
export { LeavingPrompts, QueueList } from './QueueList';
export { PromptHistory } from './promptHistory';
