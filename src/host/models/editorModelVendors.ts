import * as v from 'valibot';

/** Vendors that VS Code itself has brought; their extensions may be built in and contribute their models only when they start. */
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

/** Every vendor worth asking: `selectChatModels` without a vendor can stay pending for ever when nobody is signed in. `manifests` are those
 *  of all installed extensions, as anybody wrote them. */
export function editorModelVendors(manifests: readonly unknown[]): readonly string[] {
  const contributed = manifests.flatMap((candidate) => {
    const parsed = v.safeParse(manifest, candidate);
    if (!parsed.success) return [];
    const providers = parsed.output.contributes.languageModelChatProviders;
    return (Array.isArray(providers) ? providers : [providers]).map(({ vendor }) => vendor);
  });
  return [...new Set([...contributed, ...builtInVendors])];
}
