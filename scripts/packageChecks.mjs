/** Looks into a package: only what belongs there may be there, and what a marketplace shows must be complete. */
import fs from 'node:fs';
import path from 'node:path';
import { notices } from './build.mjs';
import { checkIdentity, readIdentity } from './identity.mjs';
import { titleOf } from './notices.mjs';
import { readZip } from './zipFile.mjs';

/** The files of a package, and nothing else, by path inside `extension/`. vsce writes README.md, CHANGELOG.md and
 *  LICENSE.txt in its own spelling. */
const expected = [
  /^package\.json$/,
  /^package\.nls(\.[\w-]+)?\.json$/,
  /^l10n\/[\w.-]+\.json$/,
  /^readme\.md$/i,
  /^changelog\.md$/i,
  /^license(\.txt|\.md)?$/i,
  new RegExp(`^${notices.replaceAll('.', '\\.')}$`),
  /^media\/[\w./-]+\.(png|svg|jpg|gif|md)$/,
  /^dist\/(webview\/)?[\w.-]+\.(js|css|wasm|ttf|woff2)$/,
  /^dist\/(webview\/)?[\w.-]+\.(js|css)\.LEGAL\.txt$/,
  /^dist\/hermes\.d\.ts$/,
  /^dist\/modelPrices\.json$/,
  /^dist\/seccomp\/(x64|arm64)\/apply-seccomp$/,
];

/** Largest package. A quarter of it are two programs, one per processor type, that keep sockets out of reach of a
 *  sandboxed command; a tenth is KaTeX with its fonts, a seventh are the
 *  translations, and a twentieth is the agent for other editors, which shares no file with the window. */
const maximumBytes = 4.5 * 1024 * 1024;

/** Fields of the manifest that a marketplace shows, and when each is as it should be. */
const manifestFields = {
  displayName: (value) => typeof value === 'string' && value !== '',
  description: (value) => typeof value === 'string' && value !== '',
  version: (value) => /^\d+\.\d+\.\d+$/.test(value),
  publisher: (value) => value === readIdentity().publisher,
  license: (value) => value === 'MIT',
  icon: (value) => typeof value === 'string' && value.endsWith('.png'),
  repository: (value) => value?.type === 'git' && value.url?.startsWith('https://'),
  bugs: (value) => value?.url?.startsWith('https://'),
  homepage: (value) => value?.startsWith('https://'),
  galleryBanner: (value) => /^#[\da-f]{6}$/i.test(value?.color) && ['dark', 'light'].includes(value.theme),
  categories: (value) => Array.isArray(value) && value.length > 0,
  // The marketplace takes 30 at most.
  keywords: (value) => Array.isArray(value) && value.length > 0 && value.length <= 30,
  pricing: (value) => value === 'Free',
  qna: (value) => value === 'marketplace' || value === false || value?.startsWith?.('https://'),
  sponsor: (value) => value === undefined,
};

/**
 * @param {string} file
 * @param {{ root: string, components: readonly import('./notices.d.mts').Component[] }} expectation `components`:
 * packages of which it contains something, as the bundler tells
 * @returns {string[]} one sentence per problem; none if the package may be published
 */
export function packageProblems(file, { root, components }) {
  const entries = new Map([...readZip(file)].map(([name, { bytes }]) => [name, bytes]));
  const text = (name) => {
    const found = [...entries].find(([entry]) => entry.toLowerCase() === `extension/${name}`.toLowerCase());
    return found?.[1].toString('utf8') ?? '';
  };
  const manifest = JSON.parse(text('package.json'));
  return [
    ...contentProblems([...entries.keys()], fs.statSync(file).size),
    ...sizeProblems((name) => entries.get(`extension/${name}`)?.length ?? 0),
    ...manifestProblems(manifest, (name) => entries.has(`extension/${name}`)),
    ...checkIdentity({ root }).problems,
    ...linkProblems('README.md', text('readme.md'), root, manifest.version),
    ...linkProblems('CHANGELOG.md', text('changelog.md'), root, manifest.version),
    ...changelogProblems(text('changelog.md'), manifest.version),
    ...noticeProblems(text(notices), components),
    ...[...entries].flatMap(([name, bytes]) =>
      /\.(js|css)$/.test(name) && bytes.includes('sourceMappingURL=') ? [`${name} refers to a source map`] : [],
    ),
  ];
}

function contentProblems(names, bytes) {
  const inside = names.filter((name) => name.startsWith('extension/')).map((name) => name.slice('extension/'.length));
  const strays = names.filter((name) => !belongs(name));
  return [
    ...expected
      .filter((pattern) => !inside.some((name) => pattern.test(name)))
      .map((pattern) => `Nothing in it is ${pattern.source}`),
    ...strays.map((name) => `${name} must not be shipped`),
    ...(bytes > maximumBytes ? [`It has ${bytes} bytes, more than the ${maximumBytes} allowed`] : []),
  ];
}

/** Bytes of programs that are waited for: at the start of the editor, of a window with a session, of a view. */
const programBudgets = {
  'dist/extension.js': 8_000,
  'dist/window.js': 1_700_000,
  'dist/storeWorker.js': 450_000,
  'dist/webview/chat.js': 110_000,
  'dist/webview/chat.css': 75_000,
};

/** @param {(name: string) => number} sizeOf */
export function sizeProblems(sizeOf) {
  return Object.entries(programBudgets)
    .filter(([name, most]) => sizeOf(name) > most)
    .map(([name, most]) => `budget “bytes of ${name}”: ${sizeOf(name)}, allowed ${most}`);
}

function belongs(entry) {
  if (entry === '[Content_Types].xml' || entry === 'extension.vsixmanifest' || entry.endsWith('/')) return true;
  return entry.startsWith('extension/') && expected.some((pattern) => pattern.test(entry.slice('extension/'.length)));
}

/** @param {Record<string, unknown>} manifest @param {(name: string) => boolean} isShipped */
export function manifestProblems(manifest, isShipped) {
  const wrong = Object.entries(manifestFields).filter(([field, isRight]) => !isRight(manifest[field]));
  return [
    ...wrong.map(([field]) => `package.json: ${field} is ${JSON.stringify(manifest[field])}`),
    ...[manifest.icon, manifest.main]
      .filter((name) => !isShipped(path.posix.normalize(name)))
      .map((name) => `${name} is not in it`),
  ];
}

/**
 * Pictures and links as a marketplace resolves them: by absolute https addresses. One that leads into the repository
 * must lead to a file there.
 * @param {string} name @param {string} text Markdown @param {string} root @param {string} version
 */
export function linkProblems(name, text, root, version) {
  const { repository } = readIdentity();
  const found = [
    ...[...text.matchAll(/(!?)\[[^\]]*\]\(\s*<?([^)\s>]+)/g)].map(([, image, address]) => ({
      address,
      isImage: image === '!',
    })),
    ...[...text.matchAll(/<img[^>]*\ssrc="([^"]*)"/gi)].map(([, address]) => ({ address, isImage: true })),
  ];
  return found.flatMap(({ address, isImage }) => {
    if (!isImage && (address.startsWith('#') || address.startsWith('mailto:'))) return [];
    if (!address.startsWith('https://')) return [`${name}: ${address} does not resolve in a marketplace`];
    if (isImage && /\.svg($|[?#])/i.test(address))
      return [`${name}: ${address} is an SVG, which a marketplace refuses`];
    const base = `${repository}/${isImage ? 'raw' : 'blob'}/v${version}/`;
    if (!address.startsWith(`${repository}/`)) return [];
    if (!address.startsWith(base))
      return [`${name}: ${address} is not of this version: it does not begin with ${base}`];
    const file = decodeURI(address.slice(base.length)).replace(/[?#].*$/, '');
    return fs.existsSync(path.join(root, file)) ? [] : [`${name}: ${address} leads to ${file}, which does not exist`];
  });
}

/** @param {string} text @param {string} version */
export function changelogProblems(text, version) {
  const isThere = text
    .split('\n')
    .some((line) => new RegExp(`^## \\[?${version.replaceAll('.', '\\.')}\\b`).test(line));
  return isThere ? [] : [`CHANGELOG.md has no heading for ${version}`];
}

/** @param {string} text @param {readonly import('./notices.d.mts').Component[]} components */
export function noticeProblems(text, components) {
  const line = '='.repeat(80);
  const parts = text.split(`${line}\n`).slice(1);
  const found = new Set(parts.filter((_, index) => index % 2 === 0).map((title) => title.trim()));
  const titles = new Set(components.map(titleOf));
  return [
    ...[...titles].filter((title) => !found.has(title)).map((title) => `${notices} has no license of ${title}`),
    ...[...found].filter((title) => !titles.has(title)).map((title) => `${notices} names ${title}, which is not in it`),
  ];
}
