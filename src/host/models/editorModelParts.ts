import * as v from 'valibot';
import * as vscode from 'vscode';

type EditorPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'toolCall'; readonly callId: string; readonly name: string; readonly input: object }
  | { readonly kind: 'other' };

/** Shape by which thinking is recognized: a text or list of texts, with an id or metadata, and neither of the known
 *  classes. `LanguageModelThinkingPart` flows through `vscode.lm`, but its class is still a proposed API
 *  (microsoft/vscode#246993). */
const thinkingShape = v.object({
  value: v.union([v.string(), v.array(v.string())]),
  id: v.optional(v.unknown()),
  metadata: v.optional(v.unknown()),
});

/** Reads one part of a streamed answer of an editor model. Data parts (usage and other non-standard notes) become
 *  `other`. */
export function readEditorPart(part: unknown): EditorPart {
  if (part instanceof vscode.LanguageModelTextPart) return { kind: 'text', text: part.value };
  if (part instanceof vscode.LanguageModelToolCallPart)
    return { kind: 'toolCall', callId: part.callId, name: part.name, input: part.input };
  if (part instanceof vscode.LanguageModelDataPart || typeof part !== 'object' || part === null)
    return { kind: 'other' };
  const thinking = v.safeParse(thinkingShape, part);
  if (!thinking.success || !('id' in part || 'metadata' in part)) return { kind: 'other' };
  const { value } = thinking.output;
  return { kind: 'thinking', text: typeof value === 'string' ? value : value.join('') };
}
