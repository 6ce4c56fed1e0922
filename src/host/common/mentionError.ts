/** Something mentioned cannot be read. The message is for the person and names it. */
export class MentionError extends Error {
  override readonly name = 'MentionError';
}
