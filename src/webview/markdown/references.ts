import { maxReferences, maxReferenceCharacters } from '../../protocol/codeLimits';
import type { Reference } from '../../protocol/codeProtocol';
import { showInvisible } from '../../transcript/text/invisibleCharacters';
import type { ReferenceActions } from './markdownActions';

/** Maximum number of characters to search. Longer texts are not prose: searching them for names would take long and
 *  find little. */
const longestText = 20_000;

const longestWord = 200;

const word = new RegExp(`[\\p{L}\\p{N}_.@~+\\-/\\\\#:]{4,${longestWord}}`, 'gu');

const path =
  /^(?:~|\.{1,2})?(?:[\p{L}\p{N}_.@+-]*[/\\])*[\p{L}\p{N}_@+-][\p{L}\p{N}_.@+-]*\.[A-Za-z]\w{0,9}(?::\d{1,7}(?::\d{1,5})?(?:-\d{1,7})?|#L\d{1,7}(?:-L?\d{1,7})?)?$/u;

const lineInWords = /^,? (?:at |on )?\(?line \d{1,7}\)?/;

const symbol = /^[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#)[\p{L}_$][\p{L}\p{N}_$]*)*(?:\(\))?$/u;

const keywords =
  /^(?:true|false|null|undefined|none|nil|self|this|super|void|any|never|unknown|string|number|boolean|bool|int|float|double|char|object|async|await|const|let|var|function|class|interface|type|enum|import|export|from|return|throw|throws|try|catch|finally|if|else|for|while|switch|case|default|new|delete|typeof|instanceof|static|public|private|protected|readonly|def|lambda|yield|with|pass|raise|except|npm|npx|git|node|python|bash|curl|cargo|make|docker)$/i;

/** Maximum number of cached references, so that the next answer with the same names needs no request. */
const mostKnown = 2000;

const known = new Map<string, NonNullable<Reference>>();

const due = new Map<Element, ReferenceActions>();

let timer: ReturnType<typeof setTimeout> | null = null;

/** Turns names of files and symbols in a closed, visible block into links, once the host confirms that they exist.
 *  Its text stays as it is. */
export function linkNames(block: Element, actions: ReferenceActions): void {
  if (namesIn(block).length === 0) return;
  due.set(block, actions);
  // Names that become visible together go into one request.
  timer ??= setTimeout(() => void askAboutDue(), 0);
}

async function askAboutDue(): Promise<void> {
  timer = null;
  const blocks = [...due].filter(([block]) => block.isConnected);
  due.clear();
  const [, actions] = blocks[0] ?? [];
  if (actions === undefined) return;
  const texts = [...new Set(blocks.flatMap(([block]) => namesIn(block).map(({ text }) => text)))].filter(
    (text) => !known.has(text),
  );
  try {
    for (let at = 0; at < texts.length; at += maxReferences) await ask(texts.slice(at, at + maxReferences), actions);
  } catch {
    return; // The host cannot answer now: names stay text until they render again.
  }
  for (const [block, own] of blocks) if (block.isConnected) renderLinks(block, own);
}

async function ask(texts: readonly string[], actions: ReferenceActions): Promise<void> {
  const found = await actions.resolve(texts);
  texts.forEach((text, index) => {
    const reference = found[index] ?? null;
    if (reference !== null) known.set(text, reference);
  });
  for (const text of known.keys()) {
    if (known.size <= mostKnown) break;
    known.delete(text);
  }
}

/** Possible name in a block: an element with inline code, or part of a text. */
interface Name {
  readonly node: Element | Text;
  readonly start: number;
  readonly text: string;
}

function namesIn(block: Element): readonly Name[] {
  const names: Name[] = [];
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    node instanceof Element && /^(?:a|pre|button)$/.test(node.localName)
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node instanceof Element) {
      const text = node.localName === 'code' ? (node.textContent ?? '') : '';
      if (mayBeName(text)) names.push({ node, start: 0, text });
    } else if (node instanceof Text && !(node.parentElement?.matches('code, .math, .math-block') ?? true)) {
      for (const { start, text } of fileNamesIn(node.data)) names.push({ node, start, text });
    }
  }
  return names;
}

/** From the end: text before a name in the same node keeps its position. */
function renderLinks(block: Element, actions: ReferenceActions): void {
  const selection = document.getSelection();
  // Moving selected nodes would clear the selection.
  if (selection !== null && !selection.isCollapsed && selection.containsNode(block, true)) return;
  for (const { node, start, text } of namesIn(block).toReversed()) {
    const reference = known.get(text);
    if (reference === undefined) continue;
    const link = linkTo(reference, text, actions);
    const named = node instanceof Text ? stretch(node, start, text.length) : node;
    named.replaceWith(link);
    link.append(named);
  }
}

function stretch(node: Text, start: number, length: number): Text {
  const named = node.splitText(start);
  if (named.length > length) named.splitText(length);
  return named;
}

function linkTo(reference: NonNullable<Reference>, text: string, actions: ReferenceActions): HTMLElement {
  const link = document.createElement('a');
  link.className = 'reference';
  link.setAttribute('role', 'link');
  link.tabIndex = 0;
  if (reference.kind === 'file') {
    link.dataset['href'] = reference.href;
    link.title = showInvisible(decodeURIComponent(reference.href));
    return link;
  }
  link.dataset['symbol'] = reference.name;
  link.title = showInvisible(text);
  const open = (event: Event): void => {
    event.preventDefault();
    event.stopPropagation();
    actions.openSymbol(reference.name);
  };
  link.addEventListener('click', open);
  link.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') open(event);
  });
  return link;
}

/** Part of a text that may name a file. */
interface NameText {
  readonly start: number;
  readonly text: string;
}

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

/** True when inline code may name a file or a symbol. */
export function mayBeName(code: string): boolean {
  if (code.length < 3 || code.length > maxReferenceCharacters || /[\r\n]/.test(code)) return false;
  return symbol.test(code)
    ? !keywords.test(code)
    : /^[^\s"'`<>|*?;=&(){}]+$/.test(code) && /[./\\]/.test(code) && !/^(?:[a-z][a-z0-9+.-]+:)?\/\//i.test(code);
}
