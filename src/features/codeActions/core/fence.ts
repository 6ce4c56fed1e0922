/** The info string of a code fence, as far as it names the language and the file. */
interface Fence {
  /** In lower case; '' when none is named. */
  readonly language: string;
  /** As written. Null: no file is named. */
  readonly path: string | null;
}

const fileName = /^(?:[\w.@~+$()[\]-]+[\\/])*[\w.@~+$()[\]-]*\.\w{1,12}$/;
const named = /(?:^|[\s{,])(?:title|file|filename|path|name)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s"'},]+))/i;

/** Reads ```` ```ts title="src/a.ts" ````, ```` ```ts:src/a.ts ```` and ```` ```src/a.ts ````. */
export function readFence(info: string): Fence {
  const [word = ''] = info.trim().split(/[\s{,]/, 1);
  const [language = '', ...rest] = word.split(':');
  const afterColon = rest.join(':').replace(/(?::\d+){1,2}$/, '');
  const [, quoted, single, bare] = named.exec(info) ?? [];
  const path = quoted ?? single ?? bare ?? (afterColon === '' ? null : afterColon);
  if (path === null && language.includes('/') && fileName.test(language)) return { language: '', path: language };
  return { language: /^[\w+#.-]+$/.test(language) ? language.toLowerCase() : '', path };
}

// "// src/a.ts", "# src/a.py", "<!-- a.html -->", "-- a.sql" or "a.css" in a block comment, also with "File:" before
// the path.
const comment = /^\s*(?:\/\/|#|--|;|%|\/\*|<!--)\s*(?:(?:file|filename|path)\s*:\s*)?(\S+?)\s*(?:\*\/|-->)?\s*$/i;

/** File that the first line of code names in a comment: its path, and the code without that line. Null: it names
 *  none. */
export function fileNamedInCode(code: string): { readonly path: string; readonly rest: string } | null {
  const [first = '', ...rest] = code.split('\n');
  const path = comment.exec(first)?.[1];
  return path !== undefined && fileName.test(path) ? { path, rest: rest.join('\n') } : null;
}

const shells: ReadonlySet<string> = new Set(
  'bash sh shell zsh fish console shellsession terminal powershell pwsh ps1 bat cmd'.split(' '),
);

export function isShell(language: string): boolean {
  return shells.has(language);
}

/** Words of fences, by the editor's id of their language. */
const wordsOf = {
  typescript: 'ts mts cts',
  typescriptreact: 'tsx',
  javascript: 'js mjs cjs',
  javascriptreact: 'jsx',
  python: 'py',
  ruby: 'rb',
  rust: 'rs',
  csharp: 'cs c#',
  cpp: 'c++ cc cxx hpp',
  c: 'h',
  kotlin: 'kt',
  go: 'golang',
  shellscript: 'sh bash zsh shell console',
  powershell: 'ps1 pwsh',
  bat: 'cmd',
  yaml: 'yml',
  markdown: 'md',
  html: 'htm',
  dockerfile: 'docker',
  makefile: 'make',
  latex: 'tex',
  diff: 'patch',
  plaintext: 'text txt',
  'objective-c': 'objc',
  perl: 'pl',
  haskell: 'hs',
  elixir: 'ex exs',
};
const editorIds: ReadonlyMap<string, string> = new Map(
  Object.entries(wordsOf).flatMap(([id, words]) => words.split(' ').map((word) => [word, id])),
);

/** The editor's id for the language of a fence. Default: the same word. */
export function editorLanguage(language: string): string {
  return editorIds.get(language) ?? language;
}
