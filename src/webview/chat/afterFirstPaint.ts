export { BackgroundStrip } from './BackgroundStrip';
export { SyncMark } from './SyncMark';
export { returnFocus } from '../focusReturn';
export { startDeliveryReporter } from './verify/deliveryReporter';
