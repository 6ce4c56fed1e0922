import { invisibleCharacters } from '../../../transcript/text/invisibleCharacters';
import { editorLanguage } from './fence';

/** run: one fully visible line, which may be run · place: anything else, which is put into the terminal but not run
 *  · refused: with the reason, for the user. */
type ShellCode =
  | { readonly kind: 'run' | 'place'; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: 'unseen' | 'empty' };

// A terminal obeys control characters, which the user does not see. Zero-width characters and those that reorder text
// are not visible either.
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\u115f\u1160\u2800\u3164\uffa0]/u;

/** In characters. Code does not wrap, and text beyond the right edge is not read. */
const longestLine = 120;

/** Extracts the commands of a block of shell code. A recorded session ("$ npm test" and its output) yields only its
 *  commands. */
export function shellCode(code: string, language: string): ShellCode {
  const lines = withoutPrompts(code.replace(/\r\n?/g, '\n').split('\n'), language);
  const text = lines.join('\n').replace(/^\n+|\s+$/g, '');
  if (text.trim() === '') return { kind: 'refused', reason: 'empty' };
  if (invisible.test(text.replace(/[\n\t]/g, ''))) return { kind: 'refused', reason: 'unseen' };
  return { kind: isSeenWhole(code) ? 'run' : 'place', text };
}

/** True when a user who pressed the button has seen all of the code: one line of visible length, without runs of
 *  spaces that push the rest out of sight, and without invisible characters. A tab typed into a shell would trigger
 *  completion. */
function isSeenWhole(code: string): boolean {
  const line = code.replace(/\r?\n$/, '');
  return [...line].length <= longestLine && !/ {2}/.test(line) && !invisibleCharacters.test(line);
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
