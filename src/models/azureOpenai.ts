/** Azure OpenAI: each resource has an address of its own, and its models are called by the names of their deployments.
 *  Source: https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle */
export const azureOpenai = {
  name: 'Azure OpenAI',
  keyPage: 'https://ai.azure.com',
  /** Matches keys that look like those of a resource: 32 hexadecimal digits, or 84 letters and digits since 2024. */
  keyPattern: /^(?:[0-9a-f]{32}|[A-Za-z0-9]{84})$/,
} as const;

interface AzureResource {
  readonly baseUrl: string;
  /** Deployment that the pasted address names. Null: none. */
  readonly deployment: string | null;
}

/** Parses a resource's name, its endpoint, or the address of a deployment as the portal shows it. Null when it is none
 *  of them. */
export function azureResource(text: string): AzureResource | null {
  const typed = text.trim();
  if (/^[a-z0-9][a-z0-9-]*$/i.test(typed)) return resourceAt(`https://${typed.toLowerCase()}.openai.azure.com`);
  return URL.canParse(typed) ? resourceAt(typed) : null;
}

function resourceAt(address: string): AzureResource | null {
  const { protocol, hostname, origin, pathname } = new URL(address);
  if (protocol !== 'https:' || !hostname.endsWith('.openai.azure.com')) return null;
  const deployment = /^\/openai\/deployments\/([^/]+)/.exec(pathname)?.[1] ?? null;
  return { baseUrl: `${origin}/openai/v1`, deployment };
}
