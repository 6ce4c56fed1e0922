import { UriTemplate, type Client } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonValue, parseJsonObject } from '../../../../transcript/json';
import type { McpAnswer, McpArgument, McpConnection, McpFailure, McpOffers } from '../mcpConnection';
import { readContent, readListedResource, readPrompt, readResource } from './contentReading';

/** Most entries of a list that are kept, and characters of an address. */
const mostEntries = 2000;
const longestAddress = 2000;
/** Most resources of one connection whose changes are followed. */
const mostFollowed = 20;
const mostProposals = 100;
/** Milliseconds. */
const timeout = 30_000;
const proposalTimeout = 3000;

type Offering = Pick<McpConnection, 'listOffers' | 'getPrompt' | 'readResource' | 'complete' | 'expand'>;

/** The requests for what a server offers to the user. `failed`: rejects if the signal is aborted. */
export function offering(client: Client, failed: (error: unknown, signal: AbortSignal) => McpFailure): Offering {
  const followed = new Set<string>();
  const asked = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<McpAnswer<T>> => {
    try {
      return { kind: 'ok', value: await work() };
    } catch (error) {
      return failed(error, signal);
    }
  };
  return {
    listOffers: (signal) => asked(signal, () => listOffers(client, signal)),
    getPrompt: (name, args, signal) =>
      asked(signal, async () => {
        const { messages } = await client.getPrompt({ name, arguments: { ...args } }, { signal, timeout });
        return messages.map(({ role, content }) => ({ role, content: readContent(plain(content)) }));
      }),
    readResource: (uri, signal) =>
      asked(signal, async () => {
        follow(client, uri, followed).catch(() => followed.delete(uri));
        const { contents } = await client.readResource({ uri }, { signal, timeout, cacheMode: 'refresh' });
        return contents.flatMap((each) => {
          const sent = plain(each);
          return (isJsonObject(sent) ? readResource(sent) : null) ?? [];
        });
      }),
    complete: (argument, signal) => proposals(client, argument, signal).catch(() => []),
    expand: (uriTemplate, values) => {
      try {
        return new UriTemplate(uriTemplate).expand({ ...values });
      } catch {
        return null;
      }
    },
  };
}

async function listOffers(client: Client, signal: AbortSignal): Promise<McpOffers> {
  const options = { signal, timeout, cacheMode: 'refresh' } as const;
  const offers = client.getServerCapabilities() ?? {};
  const hasResources = offers.resources !== undefined;
  const [{ prompts }, { resources }, { resourceTemplates }] = await Promise.all([
    offers.prompts === undefined ? { prompts: [] } : client.listPrompts(undefined, options),
    hasResources ? client.listResources(undefined, options) : { resources: [] },
    hasResources ? client.listResourceTemplates(undefined, options) : { resourceTemplates: [] },
  ]);
  const kept = (list: readonly unknown[]) => list.slice(0, mostEntries).map(plain).filter(isJsonObject);
  return {
    prompts: kept(prompts).map(readPrompt),
    resources: kept(resources)
      .map(readListedResource)
      .filter(({ uri }) => uri.length <= longestAddress),
    templates: kept(resourceTemplates).flatMap((sent) => {
      const { name, description } = readListedResource(sent);
      const uriTemplate = String(sent['uriTemplate']);
      const variables = variablesOf(uriTemplate);
      if (variables === null || uriTemplate.length > longestAddress) return [];
      return [{ name, description, uriTemplate, variables }];
    }),
  };
}

/** Null: it is not valid. */
function variablesOf(uriTemplate: string): readonly string[] | null {
  try {
    return [...new Set(new UriTemplate(uriTemplate).variableNames)];
  } catch {
    return null;
  }
}

async function follow(client: Client, uri: string, followed: Set<string>): Promise<void> {
  const canFollow = client.getServerCapabilities()?.resources?.subscribe === true;
  if (!canFollow || followed.has(uri) || followed.size >= mostFollowed) return;
  followed.add(uri);
  if (client.getProtocolEra() === 'modern') await client.listen({ resourceSubscriptions: [uri] });
  else await client.subscribeResource({ uri }, { timeout });
}

async function proposals(
  client: Client,
  { kind, of, name, typed, others }: McpArgument,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (client.getServerCapabilities()?.completions === undefined) return [];
  const ref =
    kind === 'prompt' ? { type: 'ref/prompt' as const, name: of } : { type: 'ref/resource' as const, uri: of };
  const { completion } = await client.complete(
    { ref, argument: { name, value: typed }, context: { arguments: { ...others } } },
    { signal, timeout: proposalTimeout },
  );
  return completion.values.slice(0, mostProposals);
}

/** As the server sent it. */
function plain(answer: unknown): JsonValue {
  const parsed = parseJsonObject(JSON.stringify(answer));
  return parsed.kind === 'invalid' ? null : parsed.value;
}
