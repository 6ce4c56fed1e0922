import { maxReferenceCharacters } from '../../protocol/codeLimits';

/** Part of a text that may name a file. */
interface NameText {
  readonly start: number;
  readonly text: string;
}

/** Maximum number of characters to search. Longer texts are not prose: searching them for names would take long and
 *  find little. */
const longestText = 20_000;
const longestWord = 200;
const word = new RegExp(`[\\p{L}\\p{N}_.@~+\\-/\\\\#:]{4,${longestWord}}`, 'gu');
const path =
  /^(?:~|\.{1,2})?(?:[\p{L}\p{N}_.@+-]*[/\\])*[\p{L}\p{N}_@+-][\p{L}\p{N}_.@+-]*\.[A-Za-z]\w{0,9}(?::\d{1,7}(?::\d{1,5})?(?:-\d{1,7})?|#L\d{1,7}(?:-L?\d{1,7})?)?$/u;
const lineInWords = /^,? (?:at |on )?\(?line \d{1,7}\)?/;

/** Returns parts of prose that look like file paths: with an extension, perhaps with a line. The host checks that
 *  the file exists. */
export function fileNamesIn(text: string): readonly NameText[] {
  if (text.length > longestText) return [];
  return [...text.matchAll(word)].flatMap(({ 0: found, index }) => {
    const name = found.replace(/[.,:;]+$/, '');
    if (!path.test(name)) return [];
    const after =
      name === found ? (lineInWords.exec(text.slice(index + name.length, index + name.length + 30))?.[0] ?? '') : '';
    const closes = after.includes('(') || !after.endsWith(')');
    return [{ start: index, text: name + (closes ? after : after.slice(0, -1)) }];
  });
}

const symbol = /^[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#)[\p{L}_$][\p{L}\p{N}_$]*)*(?:\(\))?$/u;
const keywords =
  /^(?:true|false|null|undefined|none|nil|self|this|super|void|any|never|unknown|string|number|boolean|bool|int|float|double|char|object|async|await|const|let|var|function|class|interface|type|enum|import|export|from|return|throw|throws|try|catch|finally|if|else|for|while|switch|case|default|new|delete|typeof|instanceof|static|public|private|protected|readonly|def|lambda|yield|with|pass|raise|except|npm|npx|git|node|python|bash|curl|cargo|make|docker)$/i;

/** True when inline code may name a file or a symbol. */
export function mayBeName(code: string): boolean {
  if (code.length < 3 || code.length > maxReferenceCharacters || /[\r\n]/.test(code)) return false;
  return symbol.test(code)
    ? !keywords.test(code)
    : /^[^\s"'`<>|*?;=&(){}]+$/.test(code) && /[./\\]/.test(code) && !/^(?:[a-z][a-z0-9+.-]+:)?\/\//i.test(code);
}
