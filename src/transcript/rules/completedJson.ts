/** Characters of the end that may be left out. */
const mostCut = 200;

/** The whole JSON object that the beginning of one stands for: open texts, lists and objects are closed, and an
 *  unfinished last member is left out. `{}` when nothing can be read. */
export function completedJson(cut: string): string {
  // From the end: the longest beginning that can be closed.
  for (let end = cut.length; end > 0; end--) {
    const closed = closedAt(cut.slice(0, end));
    if (closed !== null) return closed;
    if (cut.length - end > mostCut) break;
  }
  return '{}';
}

function closedAt(text: string): string | null {
  const open: string[] = [];
  let isText = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (isText && character === '\\') index++;
    else if (character === '"') isText = !isText;
    else if (!isText && (character === '{' || character === '[')) open.push(character === '{' ? '}' : ']');
    else if (!isText && (character === '}' || character === ']')) open.pop();
  }
  const closed = `${text.replace(isText ? /\\$/ : /[\s,]+$/, '')}${isText ? '"' : ''}${open.toReversed().join('')}`;
  try {
    const value: unknown = JSON.parse(closed);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? closed : null;
  } catch {
    return null;
  }
}
