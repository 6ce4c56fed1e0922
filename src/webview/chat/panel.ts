export { BackgroundStrip, SyncMark } from './BackgroundStrip';
export { returnFocus } from '../focusReturn';
export { startDeliveryReporter } from './verify/deliveryReporter';
