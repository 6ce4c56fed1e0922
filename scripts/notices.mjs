/**
 * Writes the notices of the packages whose code or files are shipped. Most licenses ask that their text is part of
 * every copy, and bundling takes the comments out that hold it.
 */
import fs from 'node:fs';
import path from 'node:path';
import { partsIn } from './shippedParts.mjs';

/** @typedef {import('./notices.d.mts').Component} Component */

/** Packages whose folder has no license text: the package of the same project and holder that has one. */
const textIn = { '@ai-sdk/provider-utils': '@ai-sdk/provider' };

/** Folders inside a published package that are no package of their own: the package they are part of. */
const partOf = { '@modelcontextprotocol/core-internal': '@modelcontextprotocol/client' };

/** A package whose license text begins with the whole of the Apache License. */
const wholeApacheText = 'dompurify';
const apacheTerms = 'TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION';

/** Licenses whose text is in licenseTexts/, for packages that name the license and a holder and ship no text. */
const standard = ['MIT', 'ISC'];

/**
 * The packages of these files, and what else is in them (scripts/shippedParts.mjs), by name and version.
 * @param {string} root the project, absolute
 * @param {readonly string[]} files files that went into the bundles, relative to the root, as esbuild's metafile names
 * them
 * @returns {Component[]} throws where a package has no license text
 */
export function shippedComponents(root, files) {
  const folders = new Map(
    withEmbedded(root, files).flatMap((file) => {
      const found = packageOf(root, file);
      return found === null ? [] : [[fs.realpathSync(found), found]];
    }),
  );
  const all = [...[...folders.values()].map((folder) => describe(root, folder)), ...partsIn(root, files)];
  const once = new Map(all.map((component) => [JSON.stringify([titleOf(component), component.text]), component]));
  return [...once.values()].sort((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1));
}

/** @param {readonly Component[]} components @returns {string} */
export function noticesText(components) {
  const line = '='.repeat(80);
  return (
    [
      `Hermes includes parts of the following packages. Each is under its own license.`,
      ...components.map((component) => `${line}\n${titleOf(component)}\n${line}\n\n${component.text}`),
    ].join('\n\n') + '\n'
  );
}

/** A component as the notices head it.
 *  @param {Component} component */
export function titleOf({ name, version, license }) {
  return `${[name, version].filter(Boolean).join(' ')} (${license})`;
}

/** With the files of packages that others bundled into theirs, as the source maps of those tell. */
function withEmbedded(root, files) {
  const maps = files
    .filter((file) => /node_modules\//.test(file))
    .map((file) => path.join(root, `${file}.map`))
    .filter((map) => fs.existsSync(map));
  const sources = maps.flatMap((map) => JSON.parse(fs.readFileSync(map, 'utf8')).sources ?? []);
  return [...files, ...sources.filter((source) => /(^|\/)node_modules\//.test(source))];
}

/** The folder of the package that a file belongs to; null for our own files. */
function packageOf(root, file) {
  const at = file.lastIndexOf('node_modules/');
  if (at < 0) return null;
  const [name] = /^(?:@[^/]+\/)?[^/]+/.exec(file.slice(at + 'node_modules/'.length)) ?? [''];
  const known = partOf[name] ?? name;
  const places = [path.resolve(root, file.slice(0, at), 'node_modules', known), path.join(root, 'node_modules', known)];
  const folder = places.find((place) => fs.existsSync(path.join(place, 'package.json')));
  if (folder === undefined)
    throw new Error(`${file} is shipped, and its package ${name} is not installed, so its license is not known`);
  return folder;
}

function describe(root, folder) {
  const { name, version, license, author, homepage } = JSON.parse(
    fs.readFileSync(path.join(folder, 'package.json'), 'utf8'),
  );
  const texts = licenseTexts(textIn[name] === undefined ? folder : path.join(root, 'node_modules', textIn[name]));
  const holder = typeof author === 'string' ? author : author?.name;
  const text = texts.length > 0 ? texts.join('\n\n') : standardText(license, holder);
  if (text === undefined)
    throw new Error(`${name} is shipped and has no license text: name one in scripts/notices.mjs`);
  const isReference = license === 'Apache-2.0' && !text.includes(apacheTerms);
  return {
    name,
    version,
    license,
    ...(homepage && { website: homepage }),
    type: 'library',
    isPackage: true,
    text: isReference ? `${text}\n\n${apacheText(root)}` : text,
  };
}

function standardText(license, holder) {
  if (holder === undefined || !standard.includes(license)) return undefined;
  const text = fs.readFileSync(new URL(`licenseTexts/${license}.txt`, import.meta.url), 'utf8');
  return text.trim().replace('{holder}', () => holder);
}

/** The text that packages under this license often only refer to. */
function apacheText(root) {
  const [text] = licenseTexts(path.join(root, 'node_modules', wholeApacheText));
  if (text === undefined || !text.includes(apacheTerms))
    throw new Error(
      `${wholeApacheText} does not hold the text of the Apache License any more: name another package in ` +
        'scripts/notices.mjs',
    );
  return text.slice(0, text.indexOf('END OF TERMS AND CONDITIONS')).trim();
}

function licenseTexts(folder) {
  const names = fs
    .readdirSync(folder)
    .filter((name) => /^(licen[cs]e|copying|notice)([.-][\w.-]+)?$/i.test(name))
    .sort();
  return names.map((name) =>
    fs
      .readFileSync(path.join(folder, name), 'utf8')
      .replace(/^\ufeff/, '')
      .replace(/\r\n?/g, '\n')
      .trim(),
  );
}
