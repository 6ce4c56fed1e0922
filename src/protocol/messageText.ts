// Views fill messages with the same rules as the host.
export { fillMessage, joinNames, joinSentences, type MessageArgs } from '../base/messageText';
