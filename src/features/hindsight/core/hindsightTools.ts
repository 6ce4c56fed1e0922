import * as v from 'valibot';
import { type AnyTool, defineTool, done, failed, type ToolOutput } from '../../../tools/tool';
import { failureSentence } from './failure';
import type { Connect, HindsightConnection } from './ports';
import { estimateTokens } from '../../../transcript/contextUse';

export interface ExplicitMemory {
  readonly content: string;
  readonly context: string | null;
  readonly tags: readonly string[];
  /** ISO 8601. */
  readonly occurredAt: string | null;
}

const text = (what: string) => v.pipe(v.string(), v.trim(), v.nonEmpty(`${what} is missing`));
const querySchema = (what: string) => v.object({ query: v.pipe(text('query'), v.description(what)) });

/** The model's tools for long-term memory. `retain`: stores a memory on disk and sends it. Resolves with `sent` when it
 *  has arrived. */
export function hindsightTools(
  connect: Connect,
  retain: (memory: ExplicitMemory) => Promise<'sent' | 'waiting'>,
): readonly AnyTool[] {
  return [
    defineTool({
      name: 'hindsight_retain',
      description:
        'Stores something worth knowing in later sessions in long-term memory: decisions, preferences, facts ' +
        'about the project or the person. Completed turns are stored anyway.',
      schema: v.object({
        content: v.pipe(text('content'), v.description('What to remember, understandable on its own.')),
        context: v.optional(v.pipe(v.string(), v.description('What it was about.'))),
        tags: v.optional(v.pipe(v.array(v.string()), v.description('Labels to find it by.'))),
        occurred_at: v.optional(
          v.pipe(
            v.string(),
            v.check((time) => !Number.isNaN(Date.parse(time)), 'is not an ISO 8601 time'),
            v.description('When it happened, ISO 8601.'),
          ),
        ),
      }),
      readOnly: false,
      run: async ({ content, context, tags, occurred_at: occurredAt }) => {
        const outcome = await retain({
          content,
          context: context ?? null,
          tags: tags ?? [],
          occurredAt: occurredAt ?? null,
        });
        return done(
          outcome === 'sent'
            ? 'Memory stored successfully.'
            : 'Memory kept on this machine; it is sent when Hindsight can be reached.',
        );
      },
    }),
    defineTool({
      name: 'hindsight_recall',
      description: 'Searches long-term memory of earlier sessions. Returns what was found, best first.',
      schema: querySchema('What to look for.'),
      readOnly: true,
      run: ({ query }, signal) =>
        withServer(connect, async ({ api, place }) => {
          const answer = await api.recall({ query: recallQuery(query), budget: 'mid', maxTokens: 4096 }, signal);
          if (answer.kind === 'failed') return failed(failureSentence(answer.failure, place.host));
          return done(
            answer.value.length === 0
              ? 'No relevant memories found.'
              : answer.value.map((memory, index) => `${index + 1}. ${memory}`).join('\n'),
          );
        }),
    }),
    defineTool({
      name: 'hindsight_reflect',
      description:
        'Asks long-term memory a question that takes thinking over many memories. Slower than hindsight_recall.',
      schema: querySchema('The question.'),
      readOnly: true,
      run: ({ query }, signal) =>
        withServer(connect, async ({ api, place }) => {
          const answer = await api.reflect(query, signal);
          return answer.kind === 'failed' ? failed(failureSentence(answer.failure, place.host)) : done(answer.value);
        }),
    }),
  ];
}

async function withServer(
  connect: Connect,
  use: (connection: HindsightConnection) => Promise<ToolOutput>,
): Promise<ToolOutput> {
  const connection = await connect();
  return connection === null ? failed('Hindsight is not set up. The person can run Set Up Memory….') : use(connection);
}

/** Servers refuse a query of more than 500 tokens, and a long one takes time without finding more. The estimate may
 *  be 20 % off. */
const maxCharacters = 800;
const maxTokens = 380;

/** Returns the beginning of a prompt, short enough for a search. */
export function recallQuery(text: string): string {
  let query = cut(text.trim(), maxCharacters);
  while (estimateTokens(query) > maxTokens) query = cut(query, Math.floor(query.length * 0.8));
  return query;
}

/** Never cuts a surrogate pair. */
function cut(text: string, length: number): string {
  const end = text.charCodeAt(length - 1);
  return text.slice(0, text.length > length && end >= 0xd800 && end < 0xdc00 ? length - 1 : length);
}
