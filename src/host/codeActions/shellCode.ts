import { unseenSigns } from '../../tools/approval/shell/invisibleCharacters';
import { editorLanguage } from './fence';

/** run: the code is one line that is seen whole, which can be run · place: anything else, which is put into the terminal and not run · refused: why, for a person. */
export type ShellCode =
  | { readonly kind: 'run' | 'place'; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: 'unseen' | 'empty' };

// A terminal acts on control characters, and a person does not see them; nor do they see what is zero wide or turns the order of the text.
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\u115f\u1160\u2800\u3164\uffa0]/u;

/** In characters. Code does not wrap, and what is out of sight to the right is read by nobody. */
const longestLine = 120;

/** What of a block of shell code goes into a terminal. Recorded sessions ("$ npm test" and what it wrote) give their commands only. */
export function shellCode(code: string, language: string): ShellCode {
  const lines = withoutPrompts(code.replace(/\r\n?/g, '\n').split('\n'), language);
  const text = lines.join('\n').replace(/^\n+|\s+$/g, '');
  if (text.trim() === '') return { kind: 'refused', reason: 'empty' };
  if (unseen.test(text.replace(/[\n\t]/g, ''))) return { kind: 'refused', reason: 'unseen' };
  return { kind: isSeenWhole(code) ? 'run' : 'place', text };
}

/** Whether a person who pressed the button has read all of the code: one line, of a length that is in sight, without blanks that push the rest of it
 *  away and without signs that are not seen. A tab typed into a shell would ask it to complete. */
function isSeenWhole(code: string): boolean {
  const line = code.replace(/\r?\n$/, '');
  return [...line].length <= longestLine && !/ {2}/.test(line) && !unseenSigns.test(line);
}

function withoutPrompts(lines: readonly string[], language: string): readonly string[] {
  const prompt = promptOf(language);
  const commands = lines.filter((line) => prompt.test(line));
  return commands.length === 0 ? lines : commands.map((line) => line.replace(prompt, ''));
}

function promptOf(language: string): RegExp {
  const id = editorLanguage(language);
  if (id === 'powershell') return /^PS(?: [^>\n]{0,200})?> /;
  return id === 'bat' ? /^[A-Z]:\\[^>\n]{0,200}> ?/ : /^(?:[\w.-]+@[\w.-]+:\S{1,200} ?)?\$ /;
}
