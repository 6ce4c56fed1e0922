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

const shells: ReadonlySet<string> = new Set([
  'bash',
  'sh',
  'shell',
  'zsh',
  'fish',
  'console',
  'shellsession',
  'terminal',
  'powershell',
  'pwsh',
  'ps1',
  'bat',
  'cmd',
]);

export function isShell(language: string): boolean {
  return shells.has(language);
}

const editorIds: Readonly<Record<string, string>> = {
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'typescriptreact',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascriptreact',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  cs: 'csharp',
  'c#': 'csharp',
  'c++': 'cpp',
  cc: 'cpp',
  cxx: 'cpp',
  h: 'c',
  hpp: 'cpp',
  kt: 'kotlin',
  golang: 'go',
  sh: 'shellscript',
  bash: 'shellscript',
  zsh: 'shellscript',
  shell: 'shellscript',
  console: 'shellscript',
  ps1: 'powershell',
  pwsh: 'powershell',
  cmd: 'bat',
  yml: 'yaml',
  md: 'markdown',
  htm: 'html',
  docker: 'dockerfile',
  make: 'makefile',
  tex: 'latex',
  patch: 'diff',
  text: 'plaintext',
  txt: 'plaintext',
  objc: 'objective-c',
  pl: 'perl',
  hs: 'haskell',
  ex: 'elixir',
  exs: 'elixir',
};

/** The editor's id for the language of a fence. Default: the same word. */
export function editorLanguage(language: string): string {
  return editorIds[language] ?? language;
}
