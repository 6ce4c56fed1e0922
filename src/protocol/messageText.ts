// Views fill messages with the same rules as the host.
export { fillMessage, type MessageArgs } from '../base/messageText';
