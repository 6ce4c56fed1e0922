/**
 * Checks that every file agrees with scripts/identity.json: publisher, name, display name and repository. `--write`
 * changes the files that do not. The decisions of an owner: docs/publishing.md.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const projectRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const identityFile = 'scripts/identity.json';

/** @typedef {{ isPlaceholder: boolean, publisher: string, name: string, displayName: string, repository: string }}
 *  Identity */

/** The extension's identifier: VS Code names storage folders after it.
 *  @param {Identity} identity */
const idOf = ({ publisher, name }) => `${publisher}.${name}`;

/**
 * Places that repeat a value of the identity. `key`: a path in a JSON file. `pattern`: an expression whose only group
 * is the value; it must match at least once. Everything else imports identity.json.
 * @type {readonly { files: RegExp, key?: readonly string[], pattern?: RegExp, value: (identity: Identity) => string
 * }[]}
 */
const places = [
  { files: /^package\.json$/, key: ['name'], value: ({ name }) => name },
  { files: /^package\.json$/, key: ['publisher'], value: ({ publisher }) => publisher },
  { files: /^package\.json$/, key: ['repository', 'url'], value: ({ repository }) => `${repository}.git` },
  { files: /^package\.json$/, key: ['bugs', 'url'], value: ({ repository }) => `${repository}/issues` },
  { files: /^package\.json$/, key: ['homepage'], value: ({ repository }) => `${repository}#readme` },
  { files: /^package-lock\.json$/, key: ['name'], value: ({ name }) => name },
  { files: /^package-lock\.json$/, key: ['packages', '', 'name'], value: ({ name }) => name },
  { files: /^package\.nls(\.[\w-]+)?\.json$/, key: ['extension.displayName'], value: ({ displayName }) => displayName },
  { files: /^scripts\/openChat\/package\.json$/, key: ['publisher'], value: ({ publisher }) => publisher },
  {
    files: /^(src\/features\/api\/core\/hermes\.d\.ts|docs\/api\.md)$/,
    pattern: /getExtension<HermesExtension>\('([^']+)'\)/g,
    value: idOf,
  },
  {
    files: /^\.github\/ISSUE_TEMPLATE\/config\.yml$/,
    pattern: /url: (.+)\/security\/advisories\/new/g,
    value: ({ repository }) => repository,
  },
  // VS Code loads it from a folder of its own, so it cannot import.
  {
    files: /^test\/support\/extensions\/memory-log\/extension\.js$/,
    pattern: /getExtension\('([^']+)'\)/g,
    value: idOf,
  },
  { files: /^test\/support\/vscode\/README\.md$/, pattern: /waitForWebview\('([^']+)'\)/g, value: idOf },
  { files: /^test\/support\/vscode\/README\.md$/, pattern: /workspaceStorageFolders\('([^']+)'\)/g, value: idOf },
];

/** Where a value may be repeated unnoticed. */
const searched = ['.github', 'docs', 'l10n', 'scripts', 'src', 'test'];
/** Bills of materials are written next to packages. */
const generated = /\.cdx\.json$/;
const readable = /\.(cjs|css|js|json|md|mjs|mts|ts|tsx|yaml|yml)$/;

/** @param {string} [root] @returns {Identity} */
export function readIdentity(root = projectRoot) {
  const identity = JSON.parse(fs.readFileSync(path.join(root, identityFile), 'utf8'));
  const repository = /^https:\/\/[\w.-]+\/[\w./-]+[\w-]$/;
  const wrong = [
    ...['publisher', 'name'].filter((key) => !/^[a-z0-9][a-z0-9-]*$/i.test(identity[key])),
    ...['displayName'].filter((key) => typeof identity[key] !== 'string' || identity[key].trim() === ''),
    ...['repository'].filter((key) => !repository.test(identity[key]) || identity[key].endsWith('.git')),
    ...['isPlaceholder'].filter((key) => typeof identity[key] !== 'boolean'),
  ];
  if (wrong.length > 0) throw new Error(`${identityFile} has no valid ${wrong.join(', ')}`);
  return identity;
}

/**
 * @param {{ root?: string, write?: boolean }} [options]
 * @returns {{ changed: string[], problems: string[] }} `changed`: files that were written
 */
export function checkIdentity({ root = projectRoot, write = false } = {}) {
  const identity = readIdentity(root);
  const changed = new Set();
  const problems = [];
  const files = filesOf(root);
  for (const place of places) {
    const named = files.filter((file) => place.files.test(file));
    if (named.length === 0) problems.push(`No file is ${place.files.source}: change its entry in scripts/identity.mjs`);
    for (const file of named) {
      const value = place.value(identity);
      const text = fs.readFileSync(path.join(root, file), 'utf8');
      const found = place.key ? [valueAt(text, place.key)] : [...text.matchAll(place.pattern)].map(([, each]) => each);
      const what = place.key?.join('.') || place.pattern?.source;
      if (found.length === 0)
        problems.push(`${file} holds nothing like ${what}: change its entry in scripts/identity.mjs`);
      const wrong = found.filter((each) => each !== value);
      if (wrong.length === 0) continue;
      if (write) {
        fs.writeFileSync(path.join(root, file), replaced(text, place, value));
        changed.add(file);
      } else problems.push(`${file} has ${wrong.join(', ')} instead of ${value} (${what})`);
    }
  }
  problems.push(...strayRepetitions(root, files, identity));
  return { changed: [...changed], problems };
}

/** Files that repeat the identifier or the repository and are not among the places. */
function strayRepetitions(root, files, identity) {
  const values = [idOf(identity), identity.repository];
  return files
    .filter((file) => file !== identityFile && !places.some((place) => place.files.test(file)))
    .flatMap((file) => {
      const text = fs.readFileSync(path.join(root, file), 'utf8');
      return values
        .filter((value) => text.includes(value))
        .map((value) => `${file} repeats ${value}: import ${identityFile}, or name the place in scripts/identity.mjs`);
    });
}

/** Text files, by their path inside the root, with `/`. */
function filesOf(root) {
  const inside = (folder) =>
    fs
      .readdirSync(path.join(root, folder), { withFileTypes: true })
      .filter(({ name }) => name !== 'node_modules')
      .flatMap((entry) => {
        const name = `${folder}/${entry.name}`;
        if (entry.isDirectory()) return inside(name);
        return entry.isFile() ? [name] : [];
      });
  const top = fs.readdirSync(root, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []));
  const folders = searched.filter((folder) => fs.existsSync(path.join(root, folder)));
  return [...top, ...folders.flatMap(inside)].filter((file) => readable.test(file) && !generated.test(file));
}

function valueAt(text, key) {
  return key.reduce((value, name) => value?.[name], JSON.parse(text));
}

function replaced(text, { key, pattern }, value) {
  if (pattern) return text.replace(pattern, (match, old) => match.replace(old, () => value));
  const json = JSON.parse(text);
  const parent = key.slice(0, -1).reduce((object, name) => (object[name] ??= {}), json);
  parent[key.at(-1)] = value;
  return `${JSON.stringify(json, null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const flags = process.argv.slice(2);
  if (flags.some((flag) => flag !== '--write')) throw new Error('The only option is --write');
  const { changed, problems } = checkIdentity({ write: flags.includes('--write') });
  for (const file of changed) console.log(`Changed ${file}`);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) console.error(`Run node scripts/identity.mjs --write where a file only has another value.`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
