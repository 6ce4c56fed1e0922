import * as v from 'valibot';

/** Vendors that VS Code itself has shipped. Their extensions may be built in and contribute models only once they
 *  start. */
const builtInVendors = [
  'copilot',
  'copilotcli',
  'anthropic',
  'xai',
  'gemini',
  'openrouter',
  'openai',
  'customendpoint',
  'azure',
  'ollama',
];

const contribution = v.object({ vendor: v.string() });
const manifest = v.object({
  contributes: v.object({ languageModelChatProviders: v.union([v.array(contribution), contribution]) }),
});

/** Every vendor to query: `selectChatModels` without a vendor can stay pending forever when the user is not signed
 *  in. `manifests`: those of all installed extensions, unvalidated. */
export function editorModelVendors(manifests: readonly unknown[]): readonly string[] {
  const contributed = manifests.flatMap((candidate) => {
    const parsed = v.safeParse(manifest, candidate);
    if (!parsed.success) return [];
    const providers = parsed.output.contributes.languageModelChatProviders;
    return (Array.isArray(providers) ? providers : [providers]).map(({ vendor }) => vendor);
  });
  return [...new Set([...contributed, ...builtInVendors])];
}
