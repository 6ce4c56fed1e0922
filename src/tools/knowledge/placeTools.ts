import * as v from 'valibot';
import { type AnyTool, defineTool, type ToolOutput, done } from '../tool';
import type { CodePlace } from './editorKnowledge';
import { describePlaces, inTime, type KnowledgeDeps, placeOf } from './knowledgeSources';

const mostPlaces = 200;
const longestHover = 10_000;

const schema = v.object({
  path: v.pipe(v.string(), v.nonEmpty('is empty'), v.description('Relative to the open folder.')),
  line: v.pipe(v.number(), v.integer(), v.minValue(1), v.description('From 1.')),
  symbol: v.pipe(v.string(), v.trim(), v.nonEmpty('is empty'), v.description('As it is written on that line.')),
});

/** Tools that query language extensions about one symbol. */
export function placeTools(deps: KnowledgeDeps): readonly AnyTool[] {
  return [
    defineTool({
      name: 'find_references',
      description: `Finds what refers to a symbol, by the file's language extension. At most ${mostPlaces} places.`,
      schema,
      readOnly: true,
      run: async (input, signal) =>
        placesFor(
          deps,
          input.symbol,
          'references',
          await asked(deps, input, signal, (at) => deps.editor.references(at)),
          signal,
        ),
    }),
    defineTool({
      name: 'go_to_definition',
      description:
        'Finds where a symbol is defined, through the language extension of the file. A definition outside the ' +
        'open folders is named but cannot be read unasked.',
      schema,
      readOnly: true,
      run: async (input, signal) =>
        placesFor(
          deps,
          input.symbol,
          'definition',
          await asked(deps, input, signal, (at) => deps.editor.definitions(at)),
          signal,
        ),
    }),
    defineTool({
      name: 'hover',
      description: 'Tells the type, signature and documentation of a symbol, as the editor shows them.',
      schema,
      readOnly: true,
      run: async (input, signal) => {
        const hovers = await asked(deps, input, signal, (at) => deps.editor.hover(at));
        const text = (hovers ?? [])
          .map((each) => each.trim())
          .filter((each) => each !== '')
          .join('\n\n---\n\n');
        if (text === '') return none(`The editor has nothing to show for "${input.symbol}"`);
        return done(text.length > longestHover ? `${text.slice(0, longestHover).toWellFormed()} …` : text, {
          found: hovers?.length ?? 0,
        });
      },
    }),
  ];
}

async function asked<T>(
  deps: KnowledgeDeps,
  input: v.InferOutput<typeof schema>,
  signal: AbortSignal,
  ask: (at: CodePlace) => Promise<T>,
): Promise<T> {
  const at = await placeOf(deps, input, signal);
  return inTime(deps, ask(at), signal);
}

async function placesFor(
  deps: KnowledgeDeps,
  symbol: string,
  what: 'references' | 'definition',
  found: readonly CodePlace[] | null,
  signal: AbortSignal,
): Promise<ToolOutput> {
  if (found === null || found.length === 0)
    return none(`No ${what} of "${symbol}" ${what === 'references' ? 'were' : 'was'} found`);
  const rows = await describePlaces(deps, found.slice(0, mostPlaces), signal);
  const more = found.length > mostPlaces ? `\n\n(${found.length - mostPlaces} more are not listed.)` : '';
  return done(rows.join('\n') + more, { found: found.length });
}

function none(what: string): ToolOutput {
  return done(`${what}. The language may have no extension here, or it is still starting; search_files finds text.`, {
    found: 0,
  });
}
