const longest = 100;

/** First line of a prompt, for sessions without a title. Null when it has no text. */
export function shortTitle(text: string): string | null {
  const line = text
    .split('\n')
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .find((part) => part !== '');
  if (line === undefined) return null;
  const characters = [...line];
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join('')}…`;
}
