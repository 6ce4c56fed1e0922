export { ContextMeter } from './ContextMeter';
export { EffortPicker } from './EffortPicker';
export { ModelPopup } from './ModelPopup';
export { OptionList } from './OptionList';
export { SandboxNote } from './SandboxNote';
export { SessionChoiceList } from './SessionChoiceList';
