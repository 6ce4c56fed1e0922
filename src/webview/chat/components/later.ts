/** The second program of the chat view (laterParts.ts): what nobody sees at the first paint. */
export { CompressionCard } from './CompressionCard';
export { ContextPanel } from './ContextPanel';
export { ModelPopup } from './ModelPopup';
export { PromptEditor } from './PromptEditor';
export { RewindCard } from './RewindCard';
export { SessionChoiceList } from './SessionChoiceList';
