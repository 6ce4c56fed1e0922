/**
 * Keeps the code small and layered: a budget of lines for each part of the tree, and no circle of imports between the
 * folders of `src`. Both are in structure.json. Raise a budget only in a commit that says why. The list of circles can
 * only shrink.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const file = 'scripts/lint/structure.json';
/** @type {{ lines: Record<string, number>, optional: string[], circles: string[] }} */
const rules = JSON.parse(fs.readFileSync(path.join(root, file), 'utf8'));

const problems = [...sizeProblems(), ...circleProblems()];
for (const problem of problems) console.log(problem);
process.exit(problems.length > 0 ? 1 : 0);

function sizeProblems() {
  const src = codeIn('src');
  const parts = {
    src,
    core: src.filter((name) => !rules.optional.some((folder) => name.startsWith(`${folder}/`))),
    test: codeIn('test'),
  };
  return Object.entries(parts).flatMap(([name, files]) => {
    const lines = files.reduce(
      (sum, each) => sum + fs.readFileSync(path.join(root, each), 'utf8').split('\n').length - 1,
      0,
    );
    return lines > rules.lines[name]
      ? [`${name} has ${lines} lines, and its budget is ${rules.lines[name]} (${file}): shorten something.`]
      : [];
  });
}

/** Groups of folders that import each other, directly or through others. */
function circleProblems() {
  const found = circles(folderImports()).map((folders) => folders.join(' '));
  const known = rules.circles;
  return [
    ...found
      .filter((circle) => !known.some((each) => isWithin(circle, each)))
      .map((circle) => `These folders import each other: ${circle}`),
    ...known
      .filter((circle) => !found.includes(circle))
      .map((circle) => `${file} lists a circle that is smaller now or gone; write what is left: ${circle}`),
  ];
}

/** True when a circle is a known one or a part of it. */
function isWithin(circle, known) {
  const folders = new Set(known.split(' '));
  return circle.split(' ').every((folder) => folders.has(folder));
}

/** The folders that the files of each folder import from. */
function folderImports() {
  const files = new Set(codeIn('src'));
  const graph = new Map();
  for (const name of files) {
    const from = path.posix.dirname(name);
    const targets = graph.get(from) ?? graph.set(from, new Set()).get(from);
    const text = fs.readFileSync(path.join(root, name), 'utf8');
    for (const [, , target] of text.matchAll(/(from|import)\s*\(?\s*'(\.[^']*)'/g)) {
      const imported = path.posix.join(from, target);
      const found = ['', '.ts', '.tsx', '/index.ts'].map((end) => imported + end).find((each) => files.has(each));
      if (found !== undefined && path.posix.dirname(found) !== from) targets.add(path.posix.dirname(found));
    }
  }
  return graph;
}

/** Tarjan's strongly connected components with more than one member, each sorted. */
function circles(graph) {
  const [index, low, stack, found] = [new Map(), new Map(), [], []];
  const visit = (node) => {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)));
    }
    if (low.get(node) !== index.get(node)) return;
    const members = stack.splice(stack.indexOf(node));
    if (members.length > 1) found.push(members.sort());
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found;
}

/** The TypeScript and JavaScript files of a folder, from the root, without those of packages. */
function codeIn(folder) {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((name) => /\.(ts|tsx|mts|mjs)$/.test(name) && !name.includes('/node_modules/'));
}
