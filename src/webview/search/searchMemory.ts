import * as v from 'valibot';
import { searchKinds } from '../../protocol/searchProtocol';
import type { VsCodeApi } from '../vscodeApi';

const memorySchema = v.object({
  version: v.literal(1),
  text: v.string(),
  kind: v.picklist(searchKinds),
  /** The last focused result, and the number of loaded results. */
  active: v.nullable(v.string()),
  loaded: v.number(),
});

/** State that the screen keeps across hiding, showing and reloading. Results are searched again. */
export type SearchMemory = v.InferOutput<typeof memorySchema>;

export function recallSearch(api: Pick<VsCodeApi, 'getState'>): SearchMemory {
  const kept = v.safeParse(memorySchema, api.getState());
  return kept.success ? kept.output : { version: 1, text: '', kind: 'words', active: null, loaded: 0 };
}
