/**
 * The guards that keep what the person has seen: `guards/*.mjs`, one file per area. Each entry names the text that makes up a guard and what
 * takes its place to switch the guard off:
 *   { name, file, from, to, tests, also? }
 * `from` occurs exactly once in `file`, however either is laid out: spaces, line ends and commas before a closing bracket do not count. `also` holds further `{ from, to }` of the same file, applied in order. At least one of `tests` fails
 * without the guard: a file of this folder (`droppedRows`) or, with a slash, a file from the root (`test/unit/gateway/crash`), both without `.test.ts`.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = 'test/conformance/guards';

/** All guards of a tree, in the order of their files' names. Rejects when there is none. */
export async function readGuards(root) {
  const files = readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.mjs'))
    .sort();
  const modules = await Promise.all(files.map((name) => import(pathToFileURL(join(root, folder, name)).href)));
  const guards = modules.flatMap((module, index) => {
    if (!Array.isArray(module.guards)) throw new Error(`${folder}/${files[index]} exports no array named "guards".`);
    return module.guards;
  });
  if (guards.length === 0) throw new Error(`${folder} holds no guards.`);
  return guards;
}

/** Says of each guard that no longer fits the tree why it does not: one line each, beginning with its name. Empty when all fit. */
export function staleGuards(guards, root) {
  return guards.flatMap((guard, index) => {
    const fault =
      faultOf(guard, root) ??
      (guards.findIndex(({ name }) => name === guard.name) < index ? 'another guard has the same name' : null);
    return fault === null ? [] : [`${guard.name}: ${fault}`];
  });
}

/** The text of the guard's file with the guard switched off. Throws when the guard is stale. */
export function withoutGuard({ file, from, to, also = [] }, root) {
  return [{ from, to }, ...also].reduce(
    (text, change) => {
      const places = placesOf(change.from, text);
      if (places.length !== 1)
        throw new Error(`${file} holds this text ${places.length} times instead of once: ${change.from}`);
      if (change.from === change.to) throw new Error('it is replaced by itself');
      return text.slice(0, places[0].start) + change.to + text.slice(places[0].end);
    },
    readFileSync(join(root, file), 'utf8'),
  );
}

/** Where a text stands in another one, whatever the layout of both. */
function placesOf(part, whole) {
  const wanted = signsOf(part)
    .map(({ sign }) => sign)
    .join('');
  const signs = signsOf(whole);
  const text = signs.map(({ sign }) => sign).join('');
  const places = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1))
    places.push({ start: signs[at].at, end: signs[at + wanted.length - 1].at + 1 });
  return places;
}

/** The signs of a code that say something, with their places. */
function signsOf(code) {
  const written = code
    .split('')
    .map((sign, at) => ({ sign, at }))
    .filter(({ sign }) => !/\s/.test(sign));
  return written.filter(({ sign }, index) => sign !== ',' || !/[)\]}]/.test(written[index + 1]?.sign ?? ''));
}

/** The guard's test files, from the root. */
export function testFilesOf({ tests }, root) {
  return tests.map((name) => {
    const bare = name.includes('/') ? name : `test/conformance/${name}`;
    const ends = ['.test.tsx', '.slow.test.ts', '.slow.test.tsx'];
    return `${bare}${ends.find((end) => existsSync(join(root, bare + end))) ?? '.test.ts'}`;
  });
}

function faultOf(guard, root) {
  const { name, file, from, to, tests } = guard;
  if (![name, file, from, to].every((value) => typeof value === 'string') || name === '' || from === '')
    return 'it needs a name, a file, from and to';
  if (!Array.isArray(tests) || tests.length === 0) return 'it names no tests';
  if (!existsSync(join(root, file))) return `there is no ${file}`;
  const missing = testFilesOf(guard, root).find((test) => !existsSync(join(root, test)));
  if (missing !== undefined) return `there is no ${missing}`;
  try {
    withoutGuard(guard, root);
    return null;
  } catch (error) {
    return error.message;
  }
}
