import { expect, test, vi } from 'vitest';
import { silentLog } from '../../../../src/base/log';
import { EditorModels } from '../../../../src/host/models/editorModels';
import { ManualClock } from '../../../support/manualClock';

const asked = vi.hoisted(() => ({ answer: (_vendor: string): Promise<readonly object[]> => Promise.resolve([]) }));
vi.mock('vscode', () => ({
  extensions: { all: [{ packageJSON: { contributes: { languageModelChatProviders: [{ vendor: 'acme' }] } } }] },
  lm: { selectChatModels: ({ vendor }: { readonly vendor: string }) => asked.answer(vendor) },
}));

const echo = { vendor: 'acme', id: 'echo', name: 'Echo', maxInputTokens: 1000 };
const never = new Promise<never>(() => undefined);

async function listed(models: EditorModels, clock: ManualClock): Promise<readonly string[]> {
  const listing = models.listModels(new AbortController().signal);
  // Who answers at once does so before time passes.
  await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(900);
  const found = await listing;
  return found.kind === 'models' ? found.models.map(({ label }) => label) : [];
}

test('a vendor that does not answer in time keeps its previous models, and loses those it no longer names', async () => {
  const clock = new ManualClock();
  const models = new EditorModels(clock, silentLog);
  const seen: (readonly string[])[] = [];
  for (const answer of [
    () => never,
    () => Promise.resolve([echo]),
    () => never,
    () => Promise.resolve([]),
    () => never,
  ]) {
    asked.answer = (vendor) => (vendor === 'acme' ? answer() : Promise.resolve([]));
    seen.push(await listed(models, clock));
  }
  expect(seen).toEqual([[], ['Echo'], ['Echo'], [], []]);
});
