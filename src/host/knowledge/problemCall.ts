import * as v from 'valibot';
import { severities } from '../../tools/knowledge/editorKnowledge';

/** Argument that a code action passes to its command. `startLine` and `endLine` count from 0, like the editor's;
 *  lines of the problems count from 1. */
export const problemCall = v.object({
  uri: v.string(),
  startLine: v.number(),
  endLine: v.number(),
  problems: v.array(
    v.object({
      path: v.string(),
      line: v.number(),
      column: v.number(),
      severity: v.picklist(severities),
      message: v.string(),
      source: v.string(),
    }),
  ),
});
