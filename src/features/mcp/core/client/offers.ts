import { ProtocolError, UriTemplate, type Client } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../transcript/json';
import type { McpAnswer, McpArgument, McpConnection, McpFailure, McpOffers } from '../mcpConnection';
import { readContent, readListedResource, readPrompt, readResource, sentObject } from './contentReading';

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
        const answer = await client.getPrompt({ name, arguments: { ...args } }, { signal, timeout });
        return objectsIn(sentObject(answer)['messages']).flatMap(({ role, content = null }) =>
          [content].flat().map((piece) => ({
            role: role === 'assistant' ? ('assistant' as const) : ('user' as const),
            content: readContent(piece),
          })),
        );
      }),
    readResource: (uri, signal) =>
      asked(signal, async () => {
        follow(client, uri, followed).catch(() => followed.delete(uri));
        const answer = await client.readResource({ uri }, { signal, timeout, cacheMode: 'refresh' });
        return objectsIn(sentObject(answer)['contents']).flatMap((each) => readResource(each) ?? []);
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
  // Many servers know one of the lists and refuse another one that belongs to what they offer.
  const orNone = (error: unknown): null => {
    if (error instanceof ProtocolError) return null;
    throw error;
  };
  const [prompts, resources, templates] = await Promise.all([
    offers.prompts === undefined ? null : client.listPrompts(undefined, options).catch(orNone),
    hasResources ? client.listResources(undefined, options).catch(orNone) : null,
    hasResources ? client.listResourceTemplates(undefined, options).catch(orNone) : null,
  ]);
  const kept = (list: readonly Parameters<typeof sentObject>[0][] = []) => list.slice(0, mostEntries).map(sentObject);
  return {
    prompts: kept(prompts?.prompts).map(readPrompt),
    resources: kept(resources?.resources)
      .map(readListedResource)
      .filter(({ uri }) => uri.length <= longestAddress),
    templates: kept(templates?.resourceTemplates).flatMap((sent) => {
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

function objectsIn(sent: JsonValue | undefined): readonly JsonObject[] {
  return [sent ?? []].flat().filter(isJsonObject);
}
