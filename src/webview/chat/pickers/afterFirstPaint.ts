export { ContextMeter } from './ContextMeter';
export { AgentPicker, EffortPicker } from './SessionPickers';
export { ModelPopup } from './ModelPopup';
export { OptionList, SandboxNote } from './OptionList';
export { SessionChoiceList } from './SessionChoiceList';
