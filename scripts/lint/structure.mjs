/**
 * Keeps the code small and layered: a budget of lines for each part of the tree, and no circle of imports between the
 * folders of `src`. Both are in structure.json. Raise a budget only in a commit that says why. The circles there, and
 * the imports in each of them, can only become fewer.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const file = 'scripts/lint/structure.json';
/** The optional features; the rest of `src` is the core. */
const features = 'src/features/';
/** What may import them: the list of features and their threads, and programs of their own, which have no window. */
const importers = [
  'src/extension.ts',
  ...['features.ts', 'historyWorkers.ts', 'commandLine/', 'agents/served/'].map((name) => features + name),
];
/** @type {{ lines: Record<string, number>, optional: string[], circles: Record<string, number> }} */
const rules = JSON.parse(fs.readFileSync(path.join(root, file), 'utf8'));

const problems = [...sizeProblems(), ...circleProblems(), ...featureProblems()];
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

/** The core and each feature work without any other one: they import none. */
function featureProblems() {
  return fileImports()
    .filter(([name, target]) => {
      const [feature, own] = [featureOf(target), featureOf(name)];
      return feature !== null && feature !== own && !importers.some((each) => name.startsWith(each));
    })
    .map(([name, target]) => `${name} imports the feature ${target}: only ${importers.join(' and ')} may.`);
}

/** A folder of features, or a file beside them. Null: part of the core. */
function featureOf(name) {
  return name.startsWith(features) ? features + name.slice(features.length).split('/')[0] : null;
}

/** Groups of folders that import each other, directly or through others, and how many of their pairs do. */
function circleProblems() {
  const found = circlesAtAllLevels();
  const known = rules.circles;
  const problems = [];
  for (const [folders, imports] of Object.entries(found)) {
    const limit = known[folders] ?? partOf(folders, known);
    if (limit === undefined) problems.push(`These folders import each other: ${folders}`);
    else if (imports > limit) {
      problems.push(`${imports} imports between these folders, which import each other; at most ${limit}: ${folders}`);
    }
  }
  for (const [folders, limit] of Object.entries(known)) {
    if (found[folders] === undefined || found[folders] < limit) {
      problems.push(
        `${file} lists a circle that is smaller now or gone; write ${found[folders] ?? 'what is left'}: ${folders}`,
      );
    }
  }
  return problems;
}

/** The limit of the known circle that this one is a part of. */
function partOf(circle, known) {
  const whole = Object.keys(known).find((each) => {
    const folders = new Set(each.split(' '));
    return circle.split(' ').every((folder) => folders.has(folder));
  });
  return whole === undefined ? undefined : known[whole];
}

/** Circles between single folders, and between the folders in each folder, each taken with all that is below it.
 *  Names joined by blanks → pairs of folders of which one imports the other. */
function circlesAtAllLevels() {
  const imports = fileImports();
  const graphs = [graphOf(imports, (name) => path.posix.dirname(name))];
  const parents = new Set(imports.flatMap(([name]) => ancestors(name)));
  for (const parent of parents) graphs.push(graphOf(imports, (name) => childOf(parent, name)));
  return Object.fromEntries(
    graphs.flatMap((graph) => circles(graph).map((folders) => [folders.join(' '), pairsWithin(graph, folders)])),
  );
}

/** The folder directly in `parent` that holds the file; null when none does. */
function childOf(parent, name) {
  const [child, ...rest] = name.slice(parent.length + 1).split('/');
  return name.startsWith(`${parent}/`) && rest.length > 0 ? `${parent}/${child}` : null;
}

function ancestors(name) {
  const parts = name.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

function pairsWithin(graph, folders) {
  return folders.reduce((sum, from) => sum + folders.filter((to) => graph.get(from).has(to)).length, 0);
}

/** Folder → the folders its files import from. */
function graphOf(imports, folderOf) {
  const graph = new Map();
  for (const [name, target] of imports) {
    const [from, to] = [folderOf(name), folderOf(target)];
    if (from === null || to === null || from === to) continue;
    for (const folder of [from, to]) if (!graph.has(folder)) graph.set(folder, new Set());
    graph.get(from).add(to);
  }
  return graph;
}

/** Each import between files of `src`. */
function fileImports() {
  const files = new Set(codeIn('src'));
  return [...files].flatMap((name) => {
    const text = fs.readFileSync(path.join(root, name), 'utf8');
    return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].flatMap(([, target]) => {
      const imported = path.posix.join(path.posix.dirname(name), target);
      const found = ['', '.ts', '.tsx', '/index.ts'].map((end) => imported + end).find((each) => files.has(each));
      return found === undefined ? [] : [[name, found]];
    });
  });
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
