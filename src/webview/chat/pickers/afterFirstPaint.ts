export { AgentPicker } from './AgentPicker';
export { ContextMeter } from './ContextMeter';
export { EffortPicker } from './EffortPicker';
export { ModelPopup } from './ModelPopup';
export { OptionList, SandboxNote } from './OptionList';
export { SessionChoiceList } from './SessionChoiceList';
