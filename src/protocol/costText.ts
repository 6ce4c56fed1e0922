// Separate from transcriptTypes.ts, which is part of the chat view's first paint.
export { dollars } from '../transcript/cost';
