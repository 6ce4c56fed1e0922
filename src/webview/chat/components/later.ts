/** The second program of the chat view (laterParts.ts): what nobody sees at the first paint. */
export { CompressionCard } from './CompressionCard';
export { ContextPanel } from './ContextPanel';
export { ModelPopup } from './ModelPopup';
export { PromptEditor } from './PromptEditor';
export { RewindCard } from './RewindCard';
export { SessionChoiceList } from './SessionChoiceList';
export { ApprovalCard } from './ApprovalCard';
export { AskAgainCard } from './FilesChoiceCard';
export { ChangedFilesBar } from './ChangedFilesBar';
export { ModeList } from './ModeList';
export { TodoPanel } from './TodoPanel';
export { CallActions, CallTail } from './tools/CallActions';
export { CallDetails } from './tools/CallDetails';
export { AttachMenu } from './AttachMenu';
export { AttachmentStrip } from './AttachmentStrip';
export { DropTarget, takePasted } from './DropTarget';
export { MentionList } from './MentionList';
export { PartPreview } from './PartPreview';
