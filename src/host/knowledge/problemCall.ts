import * as v from 'valibot';
import { severities } from '../../tools/knowledge/editorKnowledge';

/** What a code action hands to its command. Lines count from 0, as the editor counts them; those of the problems from 1. */
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
