/** An entry of `mcp.json`, as Add Server… writes it. */
export type ServerEntry =
  | {
      readonly type: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    }
  | { readonly type: 'http'; readonly url: string };

/** empty: nothing was typed. shell: it needs a shell, and servers are started without one. quote: a quote is open.
 *  address: not a web address. */
export type TypedProblem = 'empty' | 'shell' | 'quote' | 'address';

/** Parses a typed command line or web address. Variables before the command, as in `KEY=value npx …`, become its
 *  environment. */
export function typedServer(text: string): ServerEntry | TypedProblem {
  const typed = text.trim();
  if (typed === '') return 'empty';
  if (/^https?:/i.test(typed))
    return URL.canParse(typed) && !/\s/.test(typed) && new URL(typed).hostname !== ''
      ? { type: 'http', url: typed }
      : 'address';
  const words = wordsIn(typed);
  if (words === null) return 'quote';
  if (words.some(({ text: word, isQuoted }) => !isQuoted && /^(?:[|&;]+|[0-9]*[<>]+.*)$|;$/.test(word))) return 'shell';
  const assigned = words.findIndex(({ text: word }) => !/^[A-Za-z_]\w*=/.test(word));
  const [command, ...args] = (assigned === -1 ? [] : words.slice(assigned)).map(({ text: word }) => word);
  if (command === undefined || command === '') return 'empty';
  const env = Object.fromEntries(
    words
      .slice(0, assigned)
      .map(({ text: word }) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  );
  return { type: 'stdio', command, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
}

interface Word {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** Splits at spaces outside of quotes. A backslash escapes only a quote, a space or itself, so that Windows paths stay
 *  whole. Null when a quote is open. */
function wordsIn(line: string): readonly Word[] | null {
  const words: Word[] = [];
  const pattern = /((?:"(?:\\["\\]|[^"])*"|'[^']*'|\\["' ]|[^\s"'])+)\s*/gy;
  let end = 0;
  for (let match = pattern.exec(line); match !== null; match = pattern.exec(line)) {
    const raw = match[1] ?? '';
    words.push({ text: unquoted(raw), isQuoted: /^["']/.test(raw) });
    end = pattern.lastIndex;
  }
  return end === line.length ? words : null;
}

function unquoted(raw: string): string {
  return raw.replace(
    /"((?:\\["\\]|[^"])*)"|'([^']*)'|\\(["' ])/g,
    (_whole, double?: string, single?: string, escaped?: string) =>
      double !== undefined ? double.replace(/\\(["\\])/g, '$1') : (single ?? escaped ?? ''),
  );
}

/** Returns a short name for the server: from its package, its program or its host. */
export function proposedName(entry: ServerEntry, taken: readonly string[]): string {
  const wanted = entry.type === 'http' ? nameOfHost(new URL(entry.url).hostname) : nameOfCommand(entry);
  const names = [wanted, ...Array.from({ length: taken.length }, (_, index) => `${wanted}-${index + 2}`)];
  return names.find((name) => !taken.includes(name)) ?? wanted;
}

function nameOfHost(host: string): string {
  const labels = host.split('.').filter((label) => !/^(?:mcp|www|api)$/.test(label));
  const [first = 'server'] = labels.length > 1 ? labels.slice(0, -1) : labels;
  return /^[\d:[\]]+$/.test(first) ? 'local' : first;
}

/** The package is the first argument that is no option and no subcommand of a package runner. Code in an argument, as
 *  in `node -e "…"`, names nothing: then the program does. */
function nameOfCommand({ command, args }: Extract<ServerEntry, { readonly type: 'stdio' }>): string {
  const program = bare(command);
  const runs = /^(?:npx|uvx|pnpx|bunx|docker|node|python3?|uv|deno|npm|pnpm|yarn|bun)$/.test(program);
  const subject = runs ? args.find((arg) => !arg.startsWith('-') && !/^(?:run|exec|dlx|x|tool)$/.test(arg)) : undefined;
  const isCode = /[\s()"';]/.test(bare(subject ?? ''));
  const name = bare(subject === undefined || isCode ? command : subject)
    .replace(/(?:^|-)(?:mcp|server)(?=-|$)/g, '')
    .replace(/^-+|-+$/g, '');
  return name === '' ? 'server' : name;
}

/** Returns the last part of a path or package name, without version and file extension. */
function bare(path: string): string {
  const last = path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
  return last
    .replace(/(?<=.)@.*$/, '')
    .replace(/:[\w.-]+$/, '')
    .replace(/\.(?:[cm]?js|ts|py|exe|cmd|sh)$/i, '');
}
