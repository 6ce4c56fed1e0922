/** Code of all regions. In one file: each `import()` more cuts the code that it shares with the first paint into more
 *  pieces, which cost 5 % of the bytes that a user waits for. */
export * as cards from './cards/Cards';
export * as composer from './composer/afterFirstPaint';
export * as feed from './feed/afterFirstPaint';
export * as fetching from './state/feedFetching';
export * as pickers from './pickers/afterFirstPaint';
export * as turn from './turn/afterFirstPaint';
export { BackgroundStrip, SyncMark } from './BackgroundStrip';
export { returnFocus } from '../focusReturn';
export { startDeliveryReporter } from './verify/deliveryReporter';
