import type { AnyTool } from '../tool';
import type { KnowledgeDeps } from './knowledgeSources';
import { overviewTools } from './overviewTools';
import { placeTools } from './placeTools';

/** Tools that query the editor and its language extensions. They change nothing and stay inside the open folders, so
 *  they never ask for approval. */
export function knowledgeTools(deps: KnowledgeDeps): readonly AnyTool[] {
  return [...overviewTools(deps), ...placeTools(deps)];
}
