/** Error for a mention that cannot be read. The message is for the user and names the mention. */
export class MentionError extends Error {
  override readonly name = 'MentionError';
}
